//! What was written and is not answered yet, conversation by conversation: the draft in the composer, the message on its way,
//! and one that waits behind it.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;
use serde_json::Value;

use super::components::ApprovalPrompt;
use super::live::Live;
use super::session::Session;
use super::{browser, call};
use crate::api::chat::Chat;
use crate::api::error::Code;
use crate::api::{ApiError, approvals};
use crate::domain::text::MessageText;

/// In the place of the id that a new conversation does not have yet.
pub const NEW: &str = "new";

/// How far a letter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Sending,
    Failed(ApiError),
    /// It waits for the turn before it.
    Queued,
}

/// A message that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Counts the page's letters: a letter that is sent again is the same one for the server.
    pub number: u32,
    /// The conversation that it is for: an id, or [`NEW`].
    pub talk: String,
    pub text: String,
    pub state: State,
}

/// The letters of a page, and the composer that they come from.
#[derive(Clone, Copy)]
pub struct Outbox {
    pub input: NodeRef<Textarea>,
    /// By how many characters the text in the composer is too long.
    pub over: RwSignal<u32>,
    /// The conversation that a letter from this page has opened, and at which choice of the address.
    opened: RwSignal<Option<(Option<String>, String)>>,
    /// What a screen reader is told: the reply, once a turn.
    pub told: RwSignal<String>,
    /// What the address chooses and the conversation that the composer writes to; `None` until it is known.
    at: RwSignal<Option<(Option<String>, String)>>,
    letters: RwSignal<Vec<Letter>>,
    count: StoredValue<u32>,
    /// The account and the key of this page's letters.
    known: StoredValue<(String, String)>,
    live: Live,
    prompt: ApprovalPrompt,
}

impl Outbox {
    /// The outbox of a page, without letters.
    pub fn empty() -> Self {
        let outbox = Self {
            input: NodeRef::new(),
            over: RwSignal::new(0),
            opened: RwSignal::new(None),
            told: RwSignal::new(String::new()),
            at: RwSignal::new(None),
            letters: RwSignal::new(vec![]),
            count: StoredValue::new(0),
            known: StoredValue::new((String::new(), String::new())),
            live: Live::current(),
            prompt: expect_context(),
        };
        // What waits goes out when the turn before it has ended, by itself or by Stop.
        Effect::new(move || {
            let running = outbox.running();
            let next = outbox.letters.with(|letters| {
                let free = |it: &&Letter| {
                    it.state == State::Queued
                        && running.as_ref() != Some(&it.talk)
                        && !letters.iter().any(|other| other.talk == it.talk && other.state != State::Queued)
                };
                letters.iter().find(free).cloned()
            });
            if let Some(next) = next {
                outbox.post(next);
            }
        });
        outbox
    }

    /// The conversation that a letter from this page has opened, while the address chooses the same.
    pub fn opened(self, chosen: &Option<String>) -> Option<String> {
        self.opened.get().filter(|opened| opened.0 == *chosen).map(|opened| opened.1)
    }

    /// Follows the reader to another conversation: `chosen` by its address, or the one that `talk` finds, once it is known.
    pub fn follow(
        self,
        session: Session,
        chosen: impl Fn() -> Option<String> + 'static,
        talk: impl Fn() -> Option<String> + 'static,
    ) {
        Effect::new(move |before: Option<Option<(Option<String>, String)>>| {
            let (chosen, found, input) = (chosen(), talk(), self.input.get());
            let visit = session.visit();
            let (Some(talk), Some(input), Some(me)) = (found, input, visit.me) else { return before.flatten() };
            let now = (chosen, talk.clone());
            self.known.set_value((me.user.user_id.to_string(), visit.form_key));
            match before.flatten() {
                // What was typed before the script came stays, behind what was written before it.
                None => {
                    self.at.set(Some(now.clone()));
                    let lost = [self.stored(&talk, "+"), self.stored(&talk, "")].into_iter().flatten();
                    let (mut text, typed) = (lost.collect::<Vec<_>>().join("\n"), input.value());
                    // Browsers may have put it back themselves.
                    if !text.is_empty() && !typed.contains(&text) {
                        if !typed.is_empty() {
                            text = text + "\n" + &typed;
                        }
                        input.set_value(&text);
                    }
                    self.keep_unsent(&talk);
                    self.typed();
                }
                Some((chosen, old)) if old != talk => {
                    self.at.set(Some(now.clone()));
                    let begun = old == NEW && self.opened.get_untracked().is_some_and(|it| it.1 == talk);
                    if begun || chosen == now.0 {
                        // The same page, whose conversation has just begun: what is being typed goes along.
                        self.store(&old, "", "");
                    } else {
                        input.set_value(&self.stored(&talk, "").unwrap_or_default());
                    }
                    self.typed();
                }
                Some(_) => self.at.set(Some(now.clone())),
            }
            Some(now)
        });
    }

    /// Takes in what stands in the composer now: it is kept until it is sent.
    pub fn typed(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        if let Some((_, talk)) = self.at.get_untracked() {
            self.store(&talk, "", &text);
        }
        let over = text.trim().chars().count().saturating_sub(MessageText::MAX);
        let over = u32::try_from(over).unwrap_or(u32::MAX);
        if over != self.over.get_untracked() {
            self.over.set(over);
        }
    }

    /// Sends what stands in the composer.
    pub fn send_typed(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        if !text.trim().is_empty() && self.over.get_untracked() == 0 && self.send(text) {
            input.set_value("");
            self.typed();
        }
    }

    /// Sends a message, or has it wait for the one before it; `false` where one waits already.
    pub fn send(self, text: String) -> bool {
        let talk = self.at.get_untracked().map_or_else(|| NEW.to_owned(), |at| at.1);
        let mine = self.letters.with_untracked(|letters| {
            letters.iter().filter(|it| it.talk == talk).map(|it| it.state == State::Queued).collect::<Vec<_>>()
        });
        if mine.contains(&true) {
            return false;
        }
        let letter = Letter { number: self.next(), talk: talk.clone(), text, state: State::Queued };
        self.letters.update(|letters| letters.push(letter.clone()));
        if mine.is_empty() && untrack(move || self.running()).as_ref() != Some(&talk) {
            self.post(letter);
        }
        self.keep_unsent(&talk);
        true
    }

    /// Sends a letter that could not be sent once more.
    pub fn retry(self, mut letter: Letter) {
        // What came too fast was answered with that, and would be again.
        if matches!(&letter.state, State::Failed(error) if error.code == Code::RateLimited) {
            let old = std::mem::replace(&mut letter.number, self.next());
            self.change(old, |it| it.number = letter.number);
        }
        self.post(letter);
    }

    /// Puts a letter that is not on its way back into the composer, before what stands there.
    pub fn take_back(self, letter: &Letter) {
        self.drop(letter.number);
        self.keep_unsent(&letter.talk);
        if let Some(input) = self.input.get_untracked() {
            let typed = input.value();
            input.set_value(&if typed.is_empty() { letter.text.clone() } else { letter.text.clone() + "\n" + &typed });
            self.typed();
            input.focus().ok();
        }
    }

    /// The letter of the conversation that is shown which is on its way or could not be sent.
    pub fn front(self) -> Option<Letter> {
        self.found(false)
    }

    /// The one that waits.
    pub fn queued(self) -> Option<Letter> {
        self.found(true)
    }

    fn found(self, queued: bool) -> Option<Letter> {
        let at = self.at.get();
        self.letters.with(|letters| {
            let here =
                |it: &&Letter| at.as_ref().is_some_and(|at| at.1 == it.talk) && (it.state == State::Queued) == queued;
            letters.iter().find(here).cloned()
        })
    }

    /// The conversation whose turn runs, if one does.
    fn running(self) -> Option<String> {
        self.live.progress.with(|progress| progress.as_ref().map(|progress| progress.conversation_id.clone()))
    }

    fn next(self) -> u32 {
        self.count.update_value(|n| *n += 1);
        self.count.get_value()
    }

    fn change(self, number: u32, change: impl FnOnce(&mut Letter)) {
        self.letters.try_update(|letters| letters.iter_mut().find(|it| it.number == number).map(change));
    }

    fn drop(self, number: u32) {
        self.letters.try_update(|letters| letters.retain(|it| it.number != number));
    }

    fn post(self, letter: Letter) {
        let Letter { number, talk, text, .. } = letter;
        self.change(number, |it| it.state = State::Sending);
        self.keep_unsent(&talk);
        let id = if talk == NEW { "" } else { &talk };
        let key = format!("{}.{number}", self.known.get_value().1);
        let form = call::form(&[("message", &text), ("conversation_id", id), ("client_key", &key)]);
        spawn_local(async move {
            let answer = call::post(Chat::PATH, form).await.and_then(in_time);
            match answer {
                Ok(turn) => self.answered(number, &talk, &turn),
                Err(error) => self.change(number, |it| it.state = State::Failed(error)),
            }
            self.keep_unsent(&talk);
            self.live.refresh();
        });
    }

    fn answered(self, number: u32, talk: &str, turn: &Value) {
        let text = |field: &str| turn[field].as_str().unwrap_or_default().to_owned();
        let conversation = text("conversation_id");
        // Its end may be heard of later than its answer.
        if self.live.progress.with_untracked(|it| it.as_ref().is_some_and(|it| it.turn_id == text("turn_id"))) {
            self.live.progress.set(None);
        }
        self.letters.try_update(|letters| {
            letters.retain(|it| it.number != number);
            letters.iter_mut().filter(|it| it.talk == talk).for_each(|it| it.talk.clone_from(&conversation));
        });
        // The reader may have gone elsewhere.
        if let Some((chosen, _)) = self.at.try_get_untracked().flatten().filter(|at| at.1 == talk) {
            let began = chosen.as_deref() == Some(NEW);
            self.opened.set(Some((chosen, conversation.clone())));
            if began {
                // Else the link to a new conversation would lead to where the reader is.
                browser::rename(&format!("/?c={conversation}"));
            }
            self.told.set(text("reply"));
            self.ask(turn);
        }
    }

    /// Asks for the yes that the turn needs, where nothing is being typed.
    fn ask(self, turn: &Value) {
        let approval = turn["approval"]["approval_id"].as_str().filter(|_| turn["approval"]["status"] == "pending");
        let typing = self.input.get_untracked().is_some_and(|input| !input.value().trim().is_empty());
        if let (Some(approval), false) = (approval, typing) {
            let (query, prompt) = (call::form(&[("approval_id", approval)]), self.prompt.0);
            spawn_local(async move {
                let answer = call::get(approvals::Get::PATH, &query).await.ok();
                prompt.set(answer.and_then(|answer| call::read(&answer).ok()));
            });
        }
    }

    /// Keeps what is not on its way to the server, should the page be closed.
    fn keep_unsent(self, talk: &str) {
        let texts = self.letters.try_with_untracked(|letters| {
            let here = letters.iter().filter(|it| it.talk == talk && it.state != State::Sending);
            here.map(|it| it.text.clone()).collect::<Vec<_>>().join("\n")
        });
        self.store(talk, "+", &texts.unwrap_or_default());
    }

    fn stored(self, talk: &str, kind: &str) -> Option<String> {
        browser::kept_text(&self.key(talk, kind)).filter(|text| !text.is_empty())
    }

    fn store(self, talk: &str, kind: &str, text: &str) {
        browser::keep_text(&self.key(talk, kind), text);
    }

    fn key(self, talk: &str, kind: &str) -> String {
        let user = self.known.try_get_value().unwrap_or_default().0;
        browser::DRAFTS.to_owned() + &user + " " + talk + kind
    }
}

/// A message that came too fast was not taken, although a turn says so.
fn in_time(turn: Value) -> Result<Value, ApiError> {
    if turn["decision"]["outcome"] == "REFUSAL:RATE_LIMITED" {
        return Err(ApiError::new(Code::RateLimited, turn["reply"].as_str().unwrap_or_default()));
    }
    Ok(turn)
}
