//! The send queue of the chat, per conversation: the draft in the composer, the message being sent, and one queued behind it.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::web_sys::HtmlTextAreaElement;

use super::address;
use super::browser;
use super::components::ApprovalPrompt;
use super::drafts::{Drafts, Kind};
use super::live::Live;
use super::live_region::LiveRegion;
use super::pending_message::{self, NEW, PendingMessage, State, conversation_slot, is_unresolved, unresolved_id};
use super::session::Session;
use super::toaster::Toaster;
use super::turns::{Progress, Turns};
use crate::api::error::Code;
use crate::api::session::Visit;
use crate::domain::approval::Approval;
use crate::domain::text::MessageText;
use crate::domain::turn::Running;

/// Sending of messages.
mod post;

/// The send queue and its composer; in context, since messages are sent while pages change.
#[derive(Clone, Copy)]
pub struct SendQueue {
    /// The composer's input, while the chat is shown.
    pub input: NodeRef<Textarea>,
    /// Number of characters by which the text in the composer is too long.
    pub over: RwSignal<u32>,
    /// True if the composer contains text.
    pub written: RwSignal<bool>,
    /// The field `c` of an address, and the conversation that a message from this page opened there.
    opened: RwSignal<Option<(Option<String>, String)>>,
    /// True while the chat is shown.
    here: StoredValue<bool>,
    /// The conversation that is shown, and the sequence of the newest event that its messages include.
    pub shown: RwSignal<(String, i64)>,
    /// The field `c` of the address, and the conversation that the composer writes to or last wrote to.
    at: RwSignal<Option<(Option<String>, String)>>,
    letters: RwSignal<Vec<PendingMessage>>,
    count: RwSignal<u32>,
    /// Number of followed links when the reader last opened a new conversation.
    steps: StoredValue<u32>,
    /// Prefix of this page's idempotency keys.
    key: StoredValue<String>,
    /// True once messages from before the page was closed were sent again.
    recovered: StoredValue<bool>,
    drafts: Drafts,
    /// Idempotency key of the last pressed choice.
    chosen: StoredValue<String>,
    /// The turn whose reply was announced last.
    answered: StoredValue<String>,
    live: Live,
    prompt: ApprovalPrompt,
    toaster: Toaster,
    told: LiveRegion,
}

impl SendQueue {
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
            told: LiveRegion::current(),
        };
        provide_context(outbox);
        // A queued message is sent when the turn before it has ended or was stopped.
        Effect::new(move || {
            let running = outbox.running();
            if let Some(talk) = outbox.letters.with(|letters| pending_message::unsendable(letters)) {
                // Reruns this effect.
                outbox.letters.update(|letters| pending_message::rename(letters, &talk, NEW));
            } else if let Some(next) = outbox.letters.with(|letters| pending_message::next(letters, &running)) {
                outbox.post(next);
            }
        });
        let session = Session::current();
        Effect::new(move || {
            // The chat does it itself, once its conversation is known.
            if outbox.is_of(&session.visit()) && !outbox.here.get_value() {
                outbox.recover("");
            }
        });
        outbox
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Returns the send queue for a chat that is being built, until it is left.
    pub fn enter() -> Self {
        let outbox = Self::current();
        // Reset on entry: on leaving, the page would fetch its data once more.
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

    /// Sets the account that writes; returns false if nobody is signed in.
    fn is_of(self, visit: &Visit) -> bool {
        if let Some(me) = &visit.me {
            self.drafts.are_of(me.user.user_id.to_string());
            self.key.set_value(visit.form_key.clone());
        }
        visit.me.is_some()
    }

    /// Returns the conversation that a message from this page opened, while the field `c` of the address is unchanged.
    pub fn opened(self, chosen: &Option<String>) -> Option<String> {
        self.opened.get().filter(|opened| opened.0 == *chosen).map(|opened| opened.1)
    }

    /// Follows the reader through the chat until they leave it. The conversation is `chosen`, the field `c` of the address, or the
    /// one that `talk` returns. Messages sent before that wait for it.
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
                // A later return to that address is resolved again.
                self.opened.set(None);
            }
            let last = before.flatten();
            let unknown = unresolved_id(chosen.as_deref());
            let lost = last.as_ref().is_some_and(|last| !is_unresolved(&last.1));
            let Some(talk) = found.or_else(|| (!lost).then(|| unknown.clone())) else { return last };
            let Some(input) = input.filter(|_| self.is_of(&session.visit())) else { return last };
            if chosen.as_deref() == Some(NEW) && self.steps.get_value() != steps {
                self.steps.set_value(steps);
                self.letters.update(|letters| pending_message::leave(letters));
            }
            let now = (chosen, talk.clone());
            self.at.set(Some(now.clone()));
            if last.as_ref().is_none_or(|last| last.1 != talk) {
                let begun = |old: &str| old == NEW && self.opened.get_untracked().is_some_and(|it| it.1 == talk);
                // Text typed before hydration stays. It also moves along if this page's conversation has just begun or become known.
                let stays = last.as_ref().is_none_or(|(chosen, old)| *chosen == now.0 || begun(old));
                if let (Some((_, old)), true) = (&last, stays) {
                    self.drafts.keep(old, Kind::Typed, "");
                    if old == NEW {
                        // The list may include a conversation before its first message is answered.
                        self.letters.update(|letters| pending_message::wait_in(letters, &talk));
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

    /// Moves what was written before the conversation was known into it.
    fn settle(self, unknown: &str, talk: &str) {
        let waits = self.letters.with_untracked(|letters| letters.iter().any(|it| it.talk == unknown));
        let written = self.unsent(unknown);
        if waits || !written.is_empty() {
            self.fold(talk, written);
            self.letters.update(|letters| pending_message::rename(letters, unknown, talk));
            for kind in [Kind::Typed, Kind::Letters] {
                self.drafts.keep(unknown, kind, "");
            }
            self.keep_unsent(talk);
        }
    }

    /// Appends `more` to the unsent text of a conversation and stores it as a draft, since messages are added to it.
    fn fold(self, talk: &str, more: String) {
        let all = [self.unsent(talk), more].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        self.drafts.keep(talk, Kind::Typed, &all.join("\n"));
        self.keep_unsent(talk);
    }

    /// Restores a conversation's unsent text in the composer, before the current text if that `stays`.
    fn bring_back(self, input: &HtmlTextAreaElement, talk: &str, stays: bool) {
        let (kept, typed) = (self.unsent(talk), if stays { input.value() } else { String::new() });
        // Browsers may have restored it already.
        let text = match (kept.is_empty() || typed.contains(&kept), typed.is_empty()) {
            (true, _) => typed,
            (false, true) => kept,
            (false, false) => kept + "\n" + &typed,
        };
        // Setting an unchanged text would move the caret to the end.
        if input.value() != text {
            input.set_value(&text);
        }
        self.keep_unsent(talk);
        self.typed();
    }

    /// Handles input in the composer: stores the draft and checks its length.
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

    pub fn send_typed(self) {
        let Some(input) = self.input.get_untracked() else { return };
        let text = input.value();
        if !text.trim().is_empty() && self.over.get_untracked() == 0 && self.send(text, false, String::new()) {
            input.set_value("");
            self.typed();
        }
    }

    /// Sends a message or queues it behind the one before; returns false if one is queued already. `option` is true for
    /// an option that a page offered. `key` is the idempotency key of a choice, which is sent once. A message keeps the
    /// view that its sender had, however long it waits.
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
        let letter = PendingMessage { number: self.next(), key, talk: talk.clone(), text, view, state: State::Queued };
        self.letters.update(|letters| letters.push(letter.clone()));
        if mine.is_empty() && !is_unresolved(&talk) && !untrack(move || self.running()).contains(&talk) {
            self.post(letter);
        }
        self.keep_unsent(&talk);
        true
    }

    /// Moves an unsent message back into the composer, before the current text.
    pub fn take_back(self, letter: &PendingMessage) {
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

    /// Returns the shown conversation's message that is being sent or has failed.
    pub fn front(self) -> Option<PendingMessage> {
        self.found(false)
    }

    /// Returns the shown conversation's queued message.
    pub fn queued(self) -> Option<PendingMessage> {
        self.found(true)
    }

    /// Returns a count that grows when the reader sends a message.
    pub fn sent(self) -> u32 {
        self.count.get()
    }

    /// Returns true if a message failed because of the lost connection, which the message then shows.
    pub fn stuck(self) -> bool {
        let stuck = |it: &PendingMessage| matches!(&it.state, State::Failed(error) if error.code == Code::Unavailable);
        self.letters.with(|letters| letters.iter().any(stuck))
    }

    /// Returns true if the reader learns of this approval by the reply to their own message.
    pub fn asks(self, approval: &Approval) -> bool {
        let at = self.at.get_untracked().map(|at| at.1).unwrap_or_default();
        let here = self.here.get_value() && (at == NEW || at == approval.conversation_id.to_string());
        let mine = |it: &PendingMessage| it.talk == at || at != NEW && conversation_slot(&it.talk) == NEW;
        let sending = |it: &PendingMessage| mine(it) && it.state == State::Sending;
        let own = here && self.letters.with_untracked(|letters| letters.iter().any(sending));
        own || self.answered.get_value() == approval.turn_id.to_string()
    }

    fn found(self, queued: bool) -> Option<PendingMessage> {
        let at = self.at.get();
        // A message that waits only for its conversation counts as being sent.
        let waits = |it: &PendingMessage| it.state == State::Queued && !is_unresolved(&it.talk);
        self.letters.with(|letters| {
            let here = |it: &&PendingMessage| at.as_ref().is_some_and(|at| at.1 == it.talk) && waits(it) == queued;
            letters.iter().find(here).cloned()
        })
    }

    /// Returns the progress of the turn in the reader's conversation; a message that begins one has no id yet. Falls
    /// back to the turn that the page was rendered with, until the stream reports it.
    pub fn progress(self, told: Option<Running>) -> Option<Progress> {
        let at = self.at.get().map(|at| at.1);
        let begun = self
            .front()
            .filter(|front| conversation_slot(&front.talk) == NEW)
            .map(|front| front.key)
            .unwrap_or_default();
        let here = |it: &Progress| {
            at.as_ref().is_none_or(|at| *at == it.conversation_id || !begun.is_empty() && begun == it.key)
        };
        let told = told.map(|told| Progress::of(&told)).filter(here);
        self.live.turns.with(|turns| {
            let heard = turns.first(|it| at.is_some() && here(it));
            heard.or_else(|| told.filter(|told| !turns.has_ended(&told.turn_id)))
        })
    }

    /// Returns the conversations with a running turn.
    fn running(self) -> Vec<String> {
        self.live.turns.with(Turns::conversations)
    }

    fn next(self) -> u32 {
        self.count.update(|n| *n += 1);
        self.count.get_untracked()
    }

    fn change(self, number: u32, change: impl FnOnce(&mut PendingMessage)) {
        self.letters.try_update(|letters| letters.iter_mut().find(|it| it.number == number).map(change));
    }

    fn drop(self, number: u32) {
        self.letters.try_update(|letters| letters.retain(|it| it.number != number));
    }

    /// Stores messages that are not being sent, in case the page is closed.
    fn keep_unsent(self, talk: &str) {
        let talk = conversation_slot(talk);
        let texts = self.letters.try_with_untracked(|letters| {
            let here = letters.iter().filter(|it| conversation_slot(&it.talk) == talk && it.state != State::Sending);
            here.map(|it| it.text.clone()).collect::<Vec<_>>().join("\n")
        });
        self.drafts.keep(talk, Kind::Letters, &texts.unwrap_or_default());
    }

    /// Returns a conversation's stored unsent text, except messages that it still shows.
    fn unsent(self, talk: &str) -> String {
        let letters =
            self.letters.with_untracked(|letters| letters.iter().any(|it| conversation_slot(&it.talk) == talk));
        let lost = (!letters).then(|| self.drafts.get(talk, Kind::Letters)).flatten();
        [lost, self.drafts.get(talk, Kind::Typed)].into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}
