//! Sending of messages, and their answers.

use std::time::Duration;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos::task::spawn_local;
use serde_json::Value;

use super::SendQueue;
use crate::api::chat::Chat;
use crate::api::error::Code;
use crate::messages::chat as messages;
use crate::ui::pending_message::{self, NEW, PendingMessage, State, conversation_slot, in_time};
use crate::ui::toaster::Toast;
use crate::ui::{browser, http};

impl SendQueue {
    pub fn retry(self, mut letter: PendingMessage) {
        // With the same key, the answer would again be the rate limit.
        if matches!(&letter.state, State::Failed(error) if error.code == Code::RateLimited) {
            let old = std::mem::replace(&mut letter.number, self.next());
            self.change(old, |it| it.number = letter.number);
            letter.key.clear();
        }
        self.post(letter);
    }

    /// Resends messages that were in flight when the page was closed; their keys make this idempotent. `talk` is the
    /// conversation that the reader is in.
    pub(super) fn recover(self, talk: &str) {
        if self.recovered.get_value() {
            return;
        }
        self.recovered.set_value(true);
        #[cfg(feature = "hydrate")]
        let before = browser::travel::pages_before(&self.key.get_value()).unwrap_or_default();
        #[cfg(not(feature = "hydrate"))]
        let before: Vec<String> = vec![];
        for (key, to, view, text) in self.drafts.on_their_way() {
            let number = self.next();
            let talk = match to.as_str() {
                // Another tab, or a fresh visit, begins a separate conversation.
                "" if talk == NEW && before.iter().any(|page| key.starts_with(&format!("{page}."))) => NEW.to_owned(),
                "" => pending_message::draft_id(number),
                _ => to,
            };
            self.fold(conversation_slot(&talk), String::new());
            let letter = PendingMessage { number, key, talk, text, view, state: State::Queued };
            self.letters.update(|letters| letters.push(letter.clone()));
            self.post(letter);
        }
    }

    pub(super) fn post(self, letter: PendingMessage) {
        let PendingMessage { number, mut key, talk, text, view, .. } = letter;
        if key.is_empty() {
            key = format!("{}.{number}", self.key.get_value());
        }
        self.change(number, |it| {
            it.key.clone_from(&key);
            it.state = State::Sending;
        });
        let id = if conversation_slot(&talk) == NEW { "" } else { &talk };
        self.drafts.hold(&key, id, &view, &text);
        self.keep_unsent(&talk);
        let form = http::form(&[("message", &text), ("conversation_id", id), ("client_key", &key)]) + &view;
        spawn_local(async move {
            let answer = http::post(Chat::PATH, form).await.and_then(in_time);
            // The reader may have begun another conversation meanwhile.
            let found =
                |letters: &Vec<PendingMessage>| letters.iter().find(|it| it.number == number).map(|it| it.talk.clone());
            let talk = self.letters.try_with_untracked(found).flatten().unwrap_or(talk);
            match answer {
                Ok(turn) => {
                    self.answered(number, &talk, &turn);
                    self.arrived(number, &talk, &key);
                }
                Err(error) => {
                    self.change(number, |it| it.state = State::Failed(error));
                    if self.reader_at(&talk).is_none() {
                        self.toaster.0.try_set(Some(Toast::failure(messages::UNSENT.to_owned(), None)));
                    }
                    // A page that is closing loses its connections before its timers run: the message stays stored as in flight.
                    set_timeout(move || self.arrived(number, &talk, &key), Duration::ZERO);
                }
            }
            self.live.refresh();
        });
    }

    /// Removes the stored copy of a message in flight, once it has arrived or failed.
    fn arrived(self, number: u32, talk: &str, key: &str) {
        let again =
            |letters: &Vec<PendingMessage>| letters.iter().any(|it| it.number == number && it.state == State::Sending);
        if self.letters.try_with_untracked(again) == Some(false) {
            self.keep_unsent(talk);
            self.drafts.let_go(key);
        }
    }

    fn answered(self, number: u32, talk: &str, turn: &Value) {
        let text = |field: &str| turn[field].as_str().unwrap_or_default().to_owned();
        let conversation = text("conversation_id");
        // The event of the turn's end may arrive after the answer.
        self.live.turns.update(|turns| turns.end(&text("turn_id")));
        self.letters.try_update(|letters| {
            letters.retain(|it| it.number != number);
            pending_message::rename(letters, talk, &conversation);
        });
        self.keep_unsent(&conversation);
        // The list may have included a new conversation before this answer.
        if let Some(chosen) = self.reader_at(talk).or_else(|| self.reader_at(&conversation)) {
            let began = chosen.as_deref() == Some(NEW);
            let chosen = if began { Some(conversation.clone()) } else { chosen };
            self.opened.set(Some((chosen, conversation.clone())));
            if began {
                // Otherwise the link to a new conversation would lead to the current address.
                browser::rename(&format!("/?c={conversation}"));
            }
            self.answered.set_value(text("turn_id"));
            self.told.announce(&text("reply"));
            self.ask(turn);
        }
    }

    /// Returns the field `c` of the address, if the reader is still in that conversation.
    fn reader_at(self, talk: &str) -> Option<Option<String>> {
        let here = self.here.try_get_value() == Some(true);
        self.at.try_get_untracked().flatten().filter(|at| here && at.1 == talk).map(|at| at.0)
    }

    /// Opens the approval that the turn needs, unless something is being typed.
    fn ask(self, turn: &Value) {
        let empty =
            move || self.input.try_get_untracked().flatten().is_none_or(|input| input.value().trim().is_empty());
        let idle = move || empty() && !browser::types_elsewhere();
        let approval = turn["approval"]["approval_id"].as_str().filter(|_| turn["approval"]["status"] == "pending");
        if let (Some(approval), true) = (approval, idle()) {
            self.prompt.ask(approval.to_owned(), Box::new(idle));
        }
    }
}
