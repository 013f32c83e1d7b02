//! What was written and is not answered yet, conversation by conversation: the draft in the composer, the message on its way,
//! and one that waits behind it.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::web_sys::HtmlTextAreaElement;

use super::address;
use super::browser;
use super::components::ApprovalPrompt;
use super::drafts::{Drafts, Kind};
use super::letter::{self, Letter, NEW, State, home, is_sought, sought};
use super::live::Live;
use super::session::Session;
use super::toaster::Toaster;
use super::told::Told;
use super::turns::{Progress, Turns};
use crate::api::error::Code;
use crate::api::session::Visit;
use crate::domain::approval::Approval;
use crate::domain::text::MessageText;
use crate::domain::turn::Running;

/// Letters on their way to the server, and its answers.
mod post;

/// The letters, and the composer that they come from; from context, since letters go on their way while pages change.
#[derive(Clone, Copy)]
pub struct Outbox {
    /// The composer's field, while the chat is shown.
    pub input: NodeRef<Textarea>,
    /// By how many characters the text in the composer is too long.
    pub over: RwSignal<u32>,
    /// Whether something stands in the composer.
    pub written: RwSignal<bool>,
    /// The conversation that a letter from this page has opened, and at which choice of the address.
    opened: RwSignal<Option<(Option<String>, String)>>,
    /// Whether the chat is shown.
    here: StoredValue<bool>,
    /// The conversation that is shown, and the newest event that its messages take in.
    pub shown: RwSignal<(String, i64)>,
    /// What the address chooses and the conversation that the composer writes to, or wrote to last.
    at: RwSignal<Option<(Option<String>, String)>>,
    letters: RwSignal<Vec<Letter>>,
    count: RwSignal<u32>,
    /// The links that the reader had followed when they last came to a new conversation.
    steps: StoredValue<u32>,
    /// What the keys of this page's letters begin with.
    key: StoredValue<String>,
    /// Whether what was on its way when the page was closed has been seen to.
    recovered: StoredValue<bool>,
    drafts: Drafts,
    /// The key of the choice that was pressed last.
    chosen: StoredValue<String>,
    /// The turn whose reply was told last.
    answered: StoredValue<String>,
    live: Live,
    prompt: ApprovalPrompt,
    toaster: Toaster,
    told: Told,
}

impl Outbox {
    /// Puts an outbox without letters into context.
    pub fn provide() -> Self {
        let outbox = Self {
            input: NodeRef::new(),
            over: RwSignal::new(0),
            written: RwSignal::new(false),
            opened: RwSignal::new(None),
            here: StoredValue::new(false),
            shown: RwSignal::default(),
            at: RwSignal::new(None),
            letters: RwSignal::new(vec![]),
            count: RwSignal::new(0),
            steps: StoredValue::new(0),
            key: StoredValue::new(String::new()),
            recovered: StoredValue::new(false),
            drafts: Drafts::default(),
            chosen: StoredValue::new(String::new()),
            answered: StoredValue::new(String::new()),
            live: Live::current(),
            prompt: expect_context(),
            toaster: Toaster::current(),
            told: Told::current(),
        };
        provide_context(outbox);
        // What waits goes out when the turn before it has ended, by itself or by Stop.
        Effect::new(move || {
            let running = outbox.running();
            if let Some(talk) = outbox.letters.with(|letters| letter::stranded(letters)) {
                // It has this looked at once more.
                outbox.letters.update(|letters| letter::rename(letters, &talk, NEW));
            } else if let Some(next) = outbox.letters.with(|letters| letter::next(letters, &running)) {
                outbox.post(next);
            }
        });
        let session = Session::current();
        Effect::new(move || {
            // The chat does it itself, once it knows where the reader is.
            if outbox.is_of(&session.visit()) && !outbox.here.get_value() {
                outbox.recover("");
            }
        });
        outbox
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// The outbox for a chat that is built now, until it is left.
    pub fn enter() -> Self {
        let outbox = Self::current();
        // Not when it is left: what the page shows would be asked for once more.
        outbox.input.set(None);
        outbox.at.set(None);
        outbox.shown.set(Default::default());
        outbox.opened.set(None);
        outbox.over.set(0);
        outbox.written.set(false);
        outbox.here.set_value(true);
        on_cleanup(move || {
            outbox.here.try_set_value(false);
        });
        outbox
    }

    /// Takes in who writes, where somebody does.
    fn is_of(self, visit: &Visit) -> bool {
        if let Some(me) = &visit.me {
            self.drafts.are_of(me.user.user_id.to_string());
            self.key.set_value(visit.form_key.clone());
        }
        visit.me.is_some()
    }

    /// The conversation that a letter from this page has opened, while the address chooses the same.
    pub fn opened(self, chosen: &Option<String>) -> Option<String> {
        self.opened.get().filter(|opened| opened.0 == *chosen).map(|opened| opened.1)
    }

    /// Follows the reader through the chat until they leave it: to the conversation `chosen` by its address, or the one that
    /// `talk` finds. What is sent before that waits for it.
    pub fn follow(
        self,
        session: Session,
        chosen: impl Fn() -> Option<String> + 'static,
        talk: impl Fn() -> Option<String> + 'static,
    ) {
        let steps = address::steps();
        Effect::new(move |before: Option<Option<(Option<String>, String)>>| {
            let (chosen, found, input, steps) = (chosen(), talk(), self.input.get(), steps.get());
            if self.opened.get_untracked().is_some_and(|opened| opened.0 != chosen) {
                // Whoever comes back to that choice means it as it is then.
                self.opened.set(None);
            }
            let last = before.flatten();
            let unknown = sought(chosen.as_deref());
            let lost = last.as_ref().is_some_and(|last| !is_sought(&last.1));
            let Some(talk) = found.or_else(|| (!lost).then(|| unknown.clone())) else { return last };
            let Some(input) = input.filter(|_| self.is_of(&session.visit())) else { return last };
            if chosen.as_deref() == Some(NEW) && self.steps.get_value() != steps {
                self.steps.set_value(steps);
                self.letters.update(|letters| letter::leave(letters));
            }
            let now = (chosen, talk.clone());
            self.at.set(Some(now.clone()));
            if last.as_ref().is_none_or(|last| last.1 != talk) {
                let begun = |old: &str| old == NEW && self.opened.get_untracked().is_some_and(|it| it.1 == talk);
                // What was typed before the script came stays; and on the same page, whose conversation has just begun or is
                // known now, it goes along.
                let stays = last.as_ref().is_none_or(|(chosen, old)| *chosen == now.0 || begun(old));
                if let (Some((_, old)), true) = (&last, stays) {
                    self.drafts.keep(old, Kind::Typed, "");
                    if old == NEW {
                        // The list may know of a conversation before what began it is answered.
                        self.letters.update(|letters| letter::wait_in(letters, &talk));
                        self.keep_unsent(NEW);
                    }
                }
                if talk != unknown {
                    self.settle(&unknown, &talk);
                    self.recover(&talk);
                }
                self.bring_back(&input, &talk, stays);
            }
            Some(now)
        });
    }

    /// Has what was written before the conversation was known go on in it.
    fn settle(self, unknown: &str, talk: &str) {
        let waits = self.letters.with_untracked(|letters| letters.iter().any(|it| it.talk == unknown));
        let written = self.unsent(unknown);
        if waits || !written.is_empty() {
            self.fold(talk, written);
            self.letters.update(|letters| letter::rename(letters, unknown, talk));
            for kind in [Kind::Typed, Kind::Letters] {
                self.drafts.keep(unknown, kind, "");
            }
            self.keep_unsent(talk);
        }
    }

    /// Puts `more` behind what did not go out in a conversation, as a draft: letters come to it.
    fn fold(self, talk: &str, more: String) {
        let all = [self.unsent(talk), more].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        self.drafts.keep(talk, Kind::Typed, &all.join("\n"));
        self.keep_unsent(talk);
    }

    /// Puts what was written in the conversation before into the composer; what stands there `stays` behind it.
    fn bring_back(self, input: &HtmlTextAreaElement, talk: &str, stays: bool) {
        let (kept, typed) = (self.unsent(talk), if stays { input.value() } else { String::new() });
        // Browsers may have put it back themselves.
        let text = match (kept.is_empty() || typed.contains(&kept), typed.is_empty()) {
            (true, _) => typed,
            (false, true) => kept,
            (false, false) => kept + "\n" + &typed,
        };
        // Else the caret would go to the end.
        if input.value() != text {
            input.set_value(&text);
        }
        self.keep_unsent(talk);
        self.typed();
    }

    /// Takes in what stands in the composer now: it is kept until it is sent.
    pub fn typed(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        if let Some((_, talk)) = self.at.get_untracked() {
            self.drafts.keep(&talk, Kind::Typed, &text);
        }
        let written = !text.trim().is_empty();
        if written != self.written.get_untracked() {
            self.written.set(written);
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
        if !text.trim().is_empty() && self.over.get_untracked() == 0 && self.send(text, false, String::new()) {
            input.set_value("");
            self.typed();
        }
    }

    /// Sends a message, or has it wait for the one before it; `false` where one waits already. `option` says whether it is one of the
    /// options that a page offered. `key` is the idempotency key of a choice, which is sent once. A message keeps what its sender could
    /// see of its conversation, however long it waits.
    pub fn send(self, text: String, option: bool, key: String) -> bool {
        let Some((_, talk)) = self.at.get_untracked() else { return false };
        if !key.is_empty() && self.chosen.get_value() == key {
            return false;
        }
        let mine = self.letters.with_untracked(|letters| {
            letters.iter().filter(|it| it.talk == talk).map(|it| it.state == State::Queued).collect::<Vec<_>>()
        });
        if mine.contains(&true) {
            return false;
        }
        let known = self.shown.with_untracked(|shown| if shown.0 == talk { shown.1 } else { 0 });
        let seen = if browser::has_unread_question() { 0 } else { known };
        let view = format!("&seen={seen}{}", if option { "&option=true" } else { "" });
        self.chosen.set_value(key.clone());
        let letter = Letter { number: self.next(), key, talk: talk.clone(), text, view, state: State::Queued };
        self.letters.update(|letters| letters.push(letter.clone()));
        if mine.is_empty() && !is_sought(&talk) && !untrack(move || self.running()).contains(&talk) {
            self.post(letter);
        }
        self.keep_unsent(&talk);
        true
    }

    /// Puts a letter that is not on its way back into the composer, before what stands there.
    pub fn take_back(self, letter: &Letter) {
        self.drop(letter.number);
        self.chosen.set_value(String::new());
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

    /// How many letters were sent; it grows when the reader sends one.
    pub fn sent(self) -> u32 {
        self.count.get()
    }

    /// Whether a letter could not be sent for want of a connection, which says so where it stands.
    pub fn stuck(self) -> bool {
        let stuck = |it: &Letter| matches!(&it.state, State::Failed(error) if error.code == Code::Unavailable);
        self.letters.with(|letters| letters.iter().any(stuck))
    }

    /// Whether the reader hears of this request by the reply to a letter of their own.
    pub fn asks(self, approval: &Approval) -> bool {
        let at = self.at.get_untracked().map(|at| at.1).unwrap_or_default();
        let here = self.here.get_value() && (at == NEW || at == approval.conversation_id.to_string());
        let mine = |it: &Letter| it.talk == at || at != NEW && home(&it.talk) == NEW;
        let sending = |it: &Letter| mine(it) && it.state == State::Sending;
        let own = here && self.letters.with_untracked(|letters| letters.iter().any(sending));
        own || self.answered.get_value() == approval.turn_id.to_string()
    }

    fn found(self, queued: bool) -> Option<Letter> {
        let at = self.at.get();
        // What goes out as soon as its conversation is known is as good as on its way.
        let waits = |it: &Letter| it.state == State::Queued && !is_sought(&it.talk);
        self.letters.with(|letters| {
            let here = |it: &&Letter| at.as_ref().is_some_and(|at| at.1 == it.talk) && waits(it) == queued;
            letters.iter().find(here).cloned()
        })
    }

    /// How far the turn is that runs in the conversation where the reader is; a letter that begins one does not know it yet.
    /// `told` is what the page was rendered with, until the stream is heard.
    pub fn progress(self, told: Option<Running>) -> Option<Progress> {
        let at = self.at.get().map(|at| at.1);
        let begun = self.front().filter(|front| home(&front.talk) == NEW).map(|front| front.key).unwrap_or_default();
        let here = |it: &Progress| {
            at.as_ref().is_none_or(|at| *at == it.conversation_id || !begun.is_empty() && begun == it.key)
        };
        let told = told.map(|told| Progress::of(&told)).filter(here);
        self.live.turns.with(|turns| {
            let heard = turns.first(|it| at.is_some() && here(it));
            heard.or_else(|| told.filter(|told| !turns.has_ended(&told.turn_id)))
        })
    }

    /// The conversations whose turns run.
    fn running(self) -> Vec<String> {
        self.live.turns.with(Turns::conversations)
    }

    fn next(self) -> u32 {
        self.count.update(|n| *n += 1);
        self.count.get_untracked()
    }

    fn change(self, number: u32, change: impl FnOnce(&mut Letter)) {
        self.letters.try_update(|letters| letters.iter_mut().find(|it| it.number == number).map(change));
    }

    fn drop(self, number: u32) {
        self.letters.try_update(|letters| letters.retain(|it| it.number != number));
    }

    /// Keeps what is not on its way to the server, should the page be closed.
    fn keep_unsent(self, talk: &str) {
        let talk = home(talk);
        let texts = self.letters.try_with_untracked(|letters| {
            let here = letters.iter().filter(|it| home(&it.talk) == talk && it.state != State::Sending);
            here.map(|it| it.text.clone()).collect::<Vec<_>>().join("\n")
        });
        self.drafts.keep(talk, Kind::Letters, &texts.unwrap_or_default());
    }

    /// What was written in a conversation and did not go out, without what stands there as a letter.
    fn unsent(self, talk: &str) -> String {
        let letters = self.letters.with_untracked(|letters| letters.iter().any(|it| home(&it.talk) == talk));
        let lost = (!letters).then(|| self.drafts.get(talk, Kind::Letters)).flatten();
        [lost, self.drafts.get(talk, Kind::Typed)].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}
