//! View models: instants, dates and calls as text. The browser has no calendar, and both sides must show the same text.

use super::admin::{AccountView, LinkMade};
use super::approvals::FieldChange;
use super::chat::{MessageView, Thread};
use super::settings::{SessionView, TokenView};
use super::tasks::{self, Chip, TaskRow, Understood};
use crate::domain::audit::Page;
use crate::domain::conversation::{Conversation, Message, Speaker};
use crate::domain::erasure::ERASED;
use crate::domain::id::TaskNumber;
use crate::domain::proposal::{self, Dates, Difference, fields_of};
use crate::domain::task::Task;
use crate::domain::task_mention::numbers;
use crate::domain::time::Timestamp;
use crate::domain::tool::Risk;
use crate::domain::user::{Account, SessionInfo, TokenInfo, User};
use crate::domain::when;
use crate::domain::when::SpanKind;
use crate::messages::tasks as messages;
use crate::messages::{access, audit as record, counts, dates, users};
use crate::usecases::accounts::NewLink;
use crate::usecases::conversations::answer;
use crate::usecases::tasks::Changed;
use crate::usecases::undo::Undone;

mod approval;
mod audit;
mod credential;
mod history;
mod import;
pub mod memories;
mod receipt;
mod rows;
pub mod said;
pub mod spans;

pub use approval::{approval, whole_approval};
pub use audit::{audit, audit_filter, audit_page, export_link, narrowed_link, search_fields};
pub use credential::credential;
pub use history::life;
pub use import::{import_done, import_preview, nothing_refused};
pub use receipt::receipt;
pub use rows::{Marks, row, rows};

/// Formats the current day: `Friday, 13 March`.
pub fn today(now: &Timestamp, zone: &str) -> String {
    when::local(now, zone).strftime(dates::LONG_DAY).to_string()
}

/// Groups digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    counts::grouped(number)
}

/// Formats an amount in the provider's currency: `0.012300`; `–` if no price is known, which is not 0.
pub fn cost(micros: Option<i64>) -> String {
    micros.map_or_else(|| "–".to_owned(), |micros| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000))
}

/// Formats a duration: `450 ms`, `12 s`, `3 min`, `5 h`, `2 days`.
pub fn span(ms: i64) -> String {
    let sizes = [1, 1_000, 60_000, 3_600_000, 86_400_000];
    let below = [1_000, 60_000, 3_600_000, 172_800_000];
    let at = below.iter().position(|below| ms < *below).unwrap_or(below.len());
    format!("{} {}", ms / sizes[at], dates::UNITS[at])
}

pub fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => record::LOW_RISK_SIGN,
        Risk::Medium => record::MEDIUM_RISK_SIGN,
        Risk::High => record::HIGH_RISK_SIGN,
    }
}

/// Converts the result of an edit, with the change for Undo.
pub fn changed(changed: Changed, now: &Timestamp, zone: &str) -> TaskRow {
    TaskRow { change_id: changed.change_id, ..row(changed.after, now, zone) }
}

pub fn undone(undone: Undone, now: &Timestamp, zone: &str) -> tasks::Undone {
    tasks::Undone {
        undone: undone.done.into_iter().map(|it| changed(it, now, zone)).collect(),
        left: undone.left.into_iter().map(|left| left.why).collect(),
    }
}

pub fn understood(read: when::QuickAdd, text: &str, now: &Timestamp, zone: &str) -> Understood {
    Understood {
        chips: chips(&read, text, now, zone),
        due_label: read.due.as_ref().map(|due| when::label(due, now, zone)),
        due: read.due.map(|due| due.to_string()),
        repeats: read.recurrence.as_deref().map(when::repeats),
        recurrence: read.recurrence,
        priority: read.priority.unwrap_or_default(),
        project: read.project,
        tags: read.tags,
        spans: read.spans.iter().map(|span| (span.start, span.end)).collect(),
        title: read.title,
    }
}

/// Returns the recognised values: one chip per tag, and one for all the words of any other kind.
fn chips(read: &when::QuickAdd, text: &str, now: &Timestamp, zone: &str) -> Vec<Chip> {
    let mut chips: Vec<Chip> = vec![];
    for span in &read.spans {
        let (kind, words) = (span.kind, &text[span.start..span.end]);
        let due = read.due.as_ref().map(|due| when::label(due, now, zone));
        let label = match kind {
            SpanKind::Due => due,
            SpanKind::Recurrence => {
                read.recurrence.as_deref().map(when::repeats).zip(due).map(|(rule, first)| format!("{rule} · {first}"))
            }
            SpanKind::Priority => read.priority.map(|priority| messages::priority(priority.as_str()).to_owned()),
            SpanKind::Project => read.project.as_ref().map(|project| format!("#{project}")),
            SpanKind::Tag => Some(words.to_owned()),
        };
        let same = |chip: &&mut Chip| chip.kind == kind.as_str() && label.as_ref() == Some(&chip.label);
        match (chips.iter_mut().find(same), label) {
            (Some(chip), _) => chip.words.push(words.to_owned()),
            (None, Some(label)) => {
                chips.push(Chip { kind: kind.as_str().to_owned(), label, words: vec![words.to_owned()] });
            }
            (None, None) => {}
        }
    }
    chips
}

/// Returns the fields in which two states of a task differ.
pub fn differences(before: &Task, after: &Task, now: &Timestamp, zone: &str) -> Vec<FieldChange> {
    let (before, after) = (fields_of(before), fields_of(after));
    let found = proposal::differences(Some(&before), Some(&after), &Dates { zone, now: Some(now) });
    let shown = |value: Option<String>| match value {
        Some(value) => proposal::isolated(&value).into_owned(),
        None => messages::NOTHING.to_owned(),
    };
    let change = |it: Difference| FieldChange {
        field: it.field,
        before: shown(it.before),
        after: shown(it.after),
        summary: None,
    };
    found.into_iter().map(change).collect()
}

/// Converts a page of a conversation; `tasks` are those that its messages list or mention.
pub fn thread(conversation: Conversation, page: Page<Message>, tasks: &[Task], now: &Timestamp, zone: &str) -> Thread {
    let shown = |number: TaskNumber| tasks.iter().find(|task| task.task_id == number).cloned();
    // Erased text cannot be sent again.
    let said = page.items.iter().filter(|it| it.speaker == Speaker::User && it.text != ERASED);
    let words: Vec<_> = said.map(|it| (it.turn_id, it.text.clone())).collect();
    let again = |message: &Message| words.iter().find(|(turn, _)| *turn == message.turn_id).map(|it| it.1.clone());
    let view = |message: Message| {
        let listed: Vec<_> = answer(&message).into_iter().filter_map(shown).map(|task| row(task, now, zone)).collect();
        let speaks = || numbers(&message.text).into_iter().any(|number| shown(number).is_some());
        MessageView {
            html: said::said(&message, &listed, tasks),
            follows_tasks: !listed.is_empty() || speaks(),
            again: if message.may_repeat { again(&message) } else { None },
            listed,
            at_label: when::instant(&message.at, now, zone),
            receipts: message.tool_calls.iter().map(|call| receipt(call, now, zone)).collect(),
            card: message.approval.clone().map(|it| approval(it, now, zone)),
            message,
        }
    };
    let items = page.items.into_iter().map(view).collect();
    Thread { conversation: Some(conversation), items, before: page.next, running: None, head: 0 }
}

pub fn token(token: &TokenInfo, now: &Timestamp, zone: &str) -> TokenView {
    let scopes = token.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>();
    TokenView {
        token_id: token.token_id.to_string(),
        name: token.label.clone(),
        kind: token.kind,
        scopes: scopes.join(", "),
        budget: access::budget(token.budget),
        made: access::made(&when::instant(&token.created_at, now, zone)),
        revoked: token.revoked_at.is_some(),
        notice: credential::chat_notice(token),
    }
}

pub fn session(session: SessionInfo, now: &Timestamp, zone: &str) -> SessionView {
    let seen = session.seen_at.as_ref().map(|seen| when::instant(seen, now, zone));
    let device = if session.device.is_empty() { access::A_BROWSER.to_owned() } else { session.device };
    SessionView {
        session_id: session.session_id.to_string(),
        device,
        seen: access::signed_in(seen.as_deref(), &when::instant(&session.created_at, now, zone)),
        current: session.current,
    }
}

pub fn account(account: Account, reader: &User, now: &Timestamp) -> AccountView {
    let Account { user, invited, seen_at } = account;
    let state = match (user.disabled, invited) {
        (true, _) => "disabled",
        (false, true) => "invited",
        (false, false) => "active",
    };
    let seen = seen_at.map(|seen| users::last_here(&when::instant(&seen, now, &reader.zone)));
    AccountView {
        own: user.user_id == reader.user_id,
        role: user.role.as_str().to_owned(),
        state: state.to_owned(),
        seen: seen.unwrap_or_else(|| users::NEVER_HERE.to_owned()),
        made: users::since(&when::instant(&user.created_at, now, &reader.zone)),
        name: user.name.to_string(),
        zone: user.zone,
    }
}

/// Converts a new link for the admin who passes it on.
pub fn link(link: &NewLink, public_url: &str, now: &Timestamp, reader: &User) -> LinkMade {
    LinkMade {
        name: link.user.name.to_string(),
        role: link.user.role.as_str().to_owned(),
        link: format!("{public_url}/join?token={}", link.token),
        expires: when::instant(&link.expires_at, now, &reader.zone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rank::Rank;

    #[test]
    fn long_numbers_are_read_in_groups() {
        assert_eq!([7, 999, 1_000, 12_345_678].map(grouped), ["7", "999", "1,000", "12,345,678"]);
    }

    fn task(now: &Timestamp) -> Task {
        serde_json::from_value(serde_json::json!({
            "task_id": 1, "title": "Pay rent", "description": null, "status": "pending", "priority": "none", "due": "2026-03-01",
            "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": now, "updated_at": now,
            "completed_at": null, "deleted_at": null,
        }))
        .unwrap()
    }

    #[test]
    fn a_second_move_by_hand_is_a_difference_too() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let loose = task(&now);
        let natural = Rank::of(&loose);
        let first = Rank::between(&natural, &natural.end_of_day(), 1).unwrap();
        let second = Rank::between(&first, &natural.end_of_day(), 1).unwrap();
        let once = Task { rank: Some(first), ..loose.clone() };
        let twice = Task { rank: Some(second), ..loose.clone() };
        let told = |before: &Task, after: &Task| -> Vec<_> {
            differences(before, after, &now, "UTC").into_iter().map(|change| (change.before, change.after)).collect()
        };
        let pair = |before: &str, after: &str| vec![(before.to_owned(), after.to_owned())];
        assert_eq!(told(&loose, &once), pair(messages::NOTHING, messages::BY_HAND));
        assert_eq!(told(&once, &twice), pair(messages::BY_HAND, messages::ELSEWHERE_BY_HAND));
        assert_eq!(told(&twice, &twice), vec![]);
    }

    #[test]
    fn what_failed_offers_the_words_of_its_own_turn_again() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let id = |n: u32| format!("0194f3a0-0000-7000-8000-00000000000{n}");
        let message = |turn: u32, speaker: &str, text: &str, may_repeat: bool| -> Message {
            let value = serde_json::json!({
                "message_id": id(turn), "turn_id": id(turn), "speaker": speaker, "text": text, "at": now, "decision": null,
                "tool_calls": [], "approval": null, "may_repeat": may_repeat,
            });
            serde_json::from_value(value).unwrap()
        };
        let conversation = serde_json::from_value(serde_json::json!({
            "conversation_id": id(0), "title": "Rent", "created_at": now, "updated_at": now, "hidden_at": null,
        }));
        let items = vec![
            message(1, "assistant", "The words before it stand on another page.", true),
            message(2, "user", "add milk", false),
            message(2, "assistant", "The AI is unavailable.", true),
            message(3, "user", ERASED, false),
            message(3, "assistant", "The AI is unavailable.", true),
            message(4, "user", "add eggs", false),
            message(4, "assistant", "Done.", false),
        ];
        let thread = thread(conversation.unwrap(), Page { items, next: None }, &[], &now, "UTC");
        let again: Vec<_> = thread.items.iter().filter_map(|item| item.again.as_deref()).collect();
        assert_eq!((again, thread.items[2].again.as_deref()), (vec!["add milk"], Some("add milk")));
    }

    #[test]
    fn a_message_that_speaks_of_a_task_follows_it() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let id = "0194f3a0-0000-7000-8000-000000000000";
        let follows = |text: &str| {
            let message = serde_json::from_value(serde_json::json!({
                "message_id": id, "turn_id": id, "speaker": "user", "text": text, "at": now, "decision": null, "tool_calls": [],
                "approval": null,
            }));
            let conversation = serde_json::from_value(serde_json::json!({
                "conversation_id": id, "title": "Rent", "created_at": now, "updated_at": now, "hidden_at": null,
            }));
            let page = Page { items: vec![message.unwrap()], next: None };
            thread(conversation.unwrap(), page, &[task(&now)], &now, "UTC").items.remove(0).follows_tasks
        };
        assert_eq!(["is #1 paid?", "is #2 paid?", "<a class=\"task-chip\">"].map(follows), [true, false, false]);
    }
}
