//! Every function of the API. A new one needs its row here: the test of `end2end/server/openapi.rs` names what is missing.

use super::Kind::{Flag, Id, List, Number, OneOf, Text};
use super::Needs::{Anyone, Nothing, Session};
use super::{Answer, Entry, Field, Kind, Needs, of};
use crate::api::admin::{AccountView, LinkMade};
use crate::api::approvals::{ApprovalView, AskedAgain, Decided};
use crate::api::as_of::Then;
use crate::api::audit::{AuditPage, Rows, Story};
use crate::api::chat::Thread;
use crate::api::error::Code::{self, Conflict, NotFound, RateLimited};
use crate::api::import::{ImportDone, ImportPreview};
use crate::api::memories::{Forgotten, Memories, MemoryPage};
use crate::api::reminders::Snoozed;
use crate::api::session::{LinkView, Me, Visit};
use crate::api::settings::{ErasedView, PolicyView, SessionView, SessionsEnded, TokenMade, TokenView, Tried};
use crate::api::tasks::{Added, Bulk, Counts, Moved, TaskLife, TaskRow, TaskRows, Understood, Undone};
use crate::api::telegram::LinkCode;
use crate::domain::audit::Verification;
use crate::domain::conversation::Conversation;
use crate::domain::figures::Figures;
use crate::domain::replay::Replay;
use crate::domain::task::Facets;
use crate::domain::turn::Turn;
use crate::domain::user::{Scope, User};

const CHAT: Needs = Needs::Scopes(&[Scope::Chat]);
const READ: Needs = Needs::Scopes(&[Scope::TasksRead]);
const WRITE: Needs = Needs::Scopes(&[Scope::TasksWrite]);
const DELETE: Needs = Needs::Scopes(&[Scope::TasksDelete]);
const LINK: Needs = Needs::Scopes(&[Scope::Chat, Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete]);
const TAKE: Needs = Needs::Scopes(&[Scope::Chat, Scope::TasksRead, Scope::Audit]);
const CHANGE: Needs = Needs::Scopes(&[Scope::TasksRead, Scope::TasksWrite]);
const RESTORE: Needs = Needs::Scopes(&[Scope::TasksWrite, Scope::TasksDelete]);
const AUDIT: Needs = Needs::Scopes(&[Scope::Audit]);
const ADMIN: Needs = Needs::Scopes(&[Scope::Admin]);

/// The table, in the order in which it is shown.
#[rustfmt::skip]
pub const TABLE: &[Entry] = &[
    post("/api/v1/chat", "Says something to the assistant. With wait, the usual case, the answer comes when the turn is done. The turn has the scopes of the token: a call that lacks its scope (tasks:read, tasks:write or tasks:delete) is refused.", CHAT,
        &[must("message", Text, "What you say; 1 to 8,000 characters."), may("conversation_id", Id, "Goes on in that conversation; a new one without it."),
          may("client_key", Text, "Any name of yours: a repeat under the same one gets the same turn, but for one that was refused as too fast."), may("wait", Flag, "false answers at once."),
          may("seen", Number, "The `head` of the page of the conversation that was on the screen when the message was sent: a yes or no answers only a question that it takes in. Without it: all that was committed when the message came."),
          may("option", Flag, "true: the message is one of the options that a question offered, which confirms nothing by itself.")],
        Answer::Json(of::<Turn>), &[NotFound, RateLimited]),
    get("/api/v1/turns/get", "A turn as it stands.", CHAT, TURN, Answer::Json(of::<Turn>), &[NotFound]),
    post("/api/v1/turns/stop", "Stops a turn that is not done; what it did stays done and is said.", CHAT, TURN, Answer::Json(of::<Turn>), &[NotFound]),
    get("/api/v1/conversations/list", "Your conversations, the latest first.", CHAT,
        &[may("query", Text, "Words of the title or of what was said; 500 characters at most."), may("hidden", Flag, "true: those that were hidden."), may("before", Id, "The last one of the page before; a page has 200.")], Answer::Json(of::<Vec<Conversation>>), &[]),
    post("/api/v1/conversations/rename", "Gives a conversation another title.", CHAT, &[must("conversation_id", Id, "Which."), must("title", Text, "The title.")],
        Answer::Json(of::<Conversation>), &[NotFound]),
    post("/api/v1/conversations/hide", "Takes a conversation out of the list, or puts it back. Nothing of it is lost.", CHAT,
        &[must("conversation_id", Id, "Which."), may("hidden", Flag, "false puts it back.")], Answer::Json(of::<Conversation>), &[NotFound]),
    get("/api/v1/conversations/messages", "A page of one conversation, oldest first; without an id, of the latest one.", CHAT,
        &[may("conversation_id", Text, "An id, or `new` for an empty one."), may("before", Text, "`before` of the page after this one.")],
        Answer::Json(of::<Thread>), &[NotFound]),
    get("/api/v1/tasks/list", "Tasks that match every filter given, 200 at most, 50 of a view.", READ,
        &[may("status", OneOf(&["all", "pending", "completed"]), "pending is what is left."), may("view", OneOf(&["today", "upcoming", "all", "done", "bin"]), "One of the page's lists."),
          may("query", Text, "Words of the title or the notes."), may("due", Text, "overdue, today, week, or a date."), may("priority", PRIORITY, "Only this one."),
          may("project", Text, "Its name."), may("tag", Text, "One tag."), may("cursor", Text, "`next` of the page before.")],
        Answer::Json(of::<TaskRows>), &[]),
    get("/api/v1/tasks/get", "One task, in the bin or not, and all that happened to it.", READ, &[TASK], Answer::Json(of::<TaskLife>), &[NotFound]),
    get("/api/v1/tasks/facets", "The projects and tags of the open tasks, and how many each has.", READ, &[], Answer::Json(of::<Facets>), &[]),
    get("/api/v1/tasks/counts", "How many tasks each view holds.", READ, &[], Answer::Json(of::<Counts>), &[]),
    get("/api/v1/tasks/parse", "What quick add would make of a line.", READ, &[must("text", Text, "The line."), may("plain", List, "Words that are text wherever they stand.")],
        Answer::Json(of::<Understood>), &[]),
    post("/api/v1/tasks/add", "Adds a task, from fields or from a line of quick add in text.", WRITE,
        &[may("text", Text, "A line of quick add, such as `buy milk tomorrow p1 #errands`."), may("plain", List, "Words of it that are text."),
          may("title", Text, "1 to 200 characters."), DESCRIPTION, DUE, may("priority", PRIORITY, "none to high."), PROJECT, RECURRENCE,
          may("status", STATUS, "pending, unless it is done already."), TAGS, may("client_key", Text, "Any name of yours: a repeat under the same one adds nothing.")],
        Answer::Json(of::<TaskRow>), &[Conflict]),
    post("/api/v1/tasks/add_lines", "Adds a task for each line; all of them or none.", WRITE,
        &[must("lines", Text, "1 to 100 lines."), may("client_key", Text, "Any name of yours: a repeat under the same one adds nothing.")],
        Answer::Json(of::<Added>), &[Conflict]),
    post("/api/v1/tasks/import/preview", "What the text of a file would come to. Nothing is stored.", READ, &[FILE_TEXT, FILE_FORMAT], Answer::Json(of::<ImportPreview>), &[]),
    post("/api/v1/tasks/import", "Adds the tasks of a file, all or none; undo takes its import_id.", WRITE,
        &[FILE_TEXT, FILE_FORMAT, may("skip", Flag, "true leaves out rows that cannot be taken.")], Answer::Json(of::<ImportDone>), &[]),
    post("/api/v1/tasks/update", "Sets the fields that are given; an empty one is cleared.", WRITE,
        &[TASK, may("title", Text, "1 to 200 characters."), DESCRIPTION, DUE, may("priority", PRIORITY, "none to high."), PROJECT, RECURRENCE,
          may("status", STATUS, "completed completes, pending reopens."), TAGS, VERSION],
        Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/complete", "Marks a task as done.", WRITE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/reopen", "Makes a completed task pending again.", WRITE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/delete", "Puts a task into the bin, where it rests for 30 days.", DELETE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/restore", "Takes a task out of the bin, or makes it again what it was at a time.", RESTORE, &[TASK, VERSION, may("as_of", Text, "An instant, or 2026-11-20T10:00 in your zone.")], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/bulk", "Does one thing to several tasks, to all of them or to none. Deleting and restoring need tasks:delete.", WRITE,
        &[must("task_ids", List, "Their numbers, 200 at most."), must("act", OneOf(&["complete", "reopen", "delete", "restore", "due", "priority", "project"]), "What is done, or the field to set."),
          DUE, may("priority", PRIORITY, "none to high."), PROJECT],
        Answer::Json(of::<Bulk>), &[NotFound, Conflict]),
    post("/api/v1/tasks/move", "Puts an open task directly before or after another one of the same day, or an overdue one beside another. Give one of before and after.", WRITE,
        &[TASK, may("before", Number, "The task before which it is to stand."), may("after", Number, "The task after which it is to stand.")],
        Answer::Json(of::<Moved>), &[NotFound, Conflict]),
    post("/api/v1/tasks/samples/add", "Adds a list to try things with, or what of it is not there.", WRITE, &[], Answer::Json(of::<Bulk>), &[Conflict]),
    post("/api/v1/tasks/samples/remove", "Moves what of that list stands as it came to the bin; what was edited stays.", DELETE, &[], Answer::Json(of::<Bulk>), &[Conflict]),
    post("/api/v1/undo/last", "Takes back what you did last, by hand or by a message to the assistant, as far as it is of the last hour.", WRITE, &[],
        Answer::Json(of::<Undone>), &[Conflict]),
    post("/api/v1/undo", "Takes back edits, a tool call, a turn or an import, by new edits that are logged. Give one of the four. To put a task into the bin it needs tasks:delete as well.", WRITE,
        &[may("change_id", List, "One edit or several."), may("invocation_id", Text, "A tool call."), may("turn_id", Id, "All that a turn did."), may("import_id", Id, "All that an import added."),
          may("rest", Flag, "true takes back what stands alone and names what it left.")],
        Answer::Json(of::<Undone>), &[NotFound, Conflict]),
    get("/api/v1/approvals/list", "Requests for your yes, newest first.", CHAT, &[may("status", OneOf(&["all", "pending", "approved", "rejected", "expired", "void"]), "Only these."), may("brief", Flag, "A preview has no more tasks than the lines.")],
        Answer::Json(of::<Vec<ApprovalView>>), &[]),
    get("/api/v1/approvals/get", "One request, with everything that it would change.", CHAT,
        &[must("approval_id", Id, "Which."), may("brief", Flag, "As lists show it: the first tasks, long texts shortened.")], Answer::Json(of::<ApprovalView>), &[NotFound]),
    post("/api/v1/approvals/decide", "Says yes or no. The first verdict wins; a later one hears who decided and when. Needs the scopes of the calls as well: without one, 403, and the request still waits.", CHAT,
        &[must("approval_id", Id, "Which."), must("verdict", OneOf(&["approve", "reject"]), "Yes or no."), may("reason", Text, "Why not; at most 500 characters.")],
        Answer::Json(of::<Decided>), &[NotFound, Conflict]),
    post("/api/v1/approvals/extend", "Gives a waiting request its full time again.", CHAT, APPROVAL, Answer::Json(of::<ApprovalView>), &[NotFound, Conflict]),
    post("/api/v1/approvals/again", "Has an expired request asked afresh. Needs the scopes of the calls as well.", CHAT, APPROVAL, Answer::Json(of::<AskedAgain>), &[NotFound, Conflict, RateLimited]),
    get("/api/v1/audit/list", "The record, newest first: your own, or for an admin everyone's, which is recorded. Words are looked for a stretch of turns at a time: searched says how far back, and next goes on.", AUDIT,
        FILTER, Answer::Json(of::<AuditPage>), &[NotFound]),
    get("/api/v1/audit/turn", "One whole turn, with everything that was recorded of it. That an admin read another's is recorded.", AUDIT, TURN, Answer::Json(of::<Story>), &[NotFound]),
    get("/api/v1/audit/story", "The same as a piece of a page.", AUDIT, &[must("turn_id", Id, "Which."), may("replay", Text, "recorded or rules: decided again beside it."), may("list", Text, "What its links keep: the query of the list beside it.")],
        Answer::Piece, &[NotFound, Conflict]),
    get("/api/v1/audit/replay", "Whether a turn would be decided as it was: from its recorded replies, or by the rules. Nothing is done.", AUDIT,
        &[must("turn_id", Id, "Which."), may("engine", Text, "recorded, the usual case, or rules.")], Answer::Json(of::<Replay>), &[NotFound, Conflict]),
    get("/api/v1/audit/figures", "The record in figures; without a time, of the last 30 days.", AUDIT, FILTER, Answer::Json(of::<Figures>), &[NotFound]),
    get("/api/v1/audit/overview", "The same as a piece of a page, with charts.", AUDIT, FILTER, Answer::Piece, &[NotFound]),
    get("/api/v1/audit/export", "The turns that a filter lists, as a file, the newest first. That an admin takes another's is recorded.", AUDIT, EXPORT, Answer::File, &[NotFound]),
    get("/api/v1/audit/verify", "Whether the record is as it was written: your own, or for an admin anyone's or everyone's.", AUDIT,
        &[may("user", Text, "A name; only an admin may name another's.")], Answer::Json(of::<Verification>), &[NotFound]),
    get("/api/v1/tasks/as_of", "The list as it was.", READ, &[must("at", Text, "An instant, or 2026-11-20T10:00 in your zone.")], Answer::Json(of::<Then>), &[]),
    get("/api/v1/tasks/as_of/page", "The same as a piece of a page.", READ, &[may("at", Text, "Now without it.")], Answer::Piece, &[]),
    post("/api/v1/tasks/snooze", "Puts a reminder off for an hour.", CHANGE, &[TASK], Answer::Json(of::<Snoozed>), &[NotFound, Conflict]),
    get("/api/v1/memories/list", "What is remembered of you, the newest first.", CHAT, &[may("before", Text, "`next` of the page before.")], Answer::Json(of::<Memories>), &[]),
    get("/api/v1/memories/search", "What of it fits some words, the best first.", CHAT, &[must("query", Text, "The words.")], Answer::Json(of::<Memories>), &[]),
    get("/api/v1/memories/page", "The same as a piece of a page.", CHAT, &[may("query", Text, "Words."), may("before", Text, "`next` of the page before.")], Answer::Json(of::<MemoryPage>), &[]),
    post("/api/v1/memories/forget", "Forgets one thing for good.", CHAT, &[must("memory_id", Id, "Which.")], Answer::Json(of::<Forgotten>), &[NotFound]),
    post("/api/v1/memories/forget_all", "Forgets everything for good.", CHAT, &[], Answer::Json(of::<Forgotten>), &[]),
    post("/api/v1/memories/switch", "Switches memory on or off. What is said while it is off is never remembered.", CHAT, &[must("on", Flag, "true or false.")], Answer::Done, &[]),
    get("/api/v1/export", "Everything of yours, or your tasks as a table, for which a token needs tasks:read alone.", TAKE, &[may("format", OneOf(&["json", "csv"]), "json without it.")], Answer::File, &[]),
    post("/api/v1/telegram/link", "A code that links a chat, for /start CODE. A chat that a token's code linked is unlinked with the token.", LINK, &[AGAIN], Answer::Json(of::<LinkCode>), &[Conflict, RateLimited]),
    post("/api/v1/telegram/unlink", "Unlinks the chat.", LINK, &[], Answer::Done, &[]),
    get("/api/v1/telegram/section", "The settings' section as a piece of a page.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/events", "Your events as they happen: what changed, what runs, what waits.", Anyone, &[may("after", Text, "The number after which to begin; Last-Event-ID does the same.")],
        Answer::Events, &[]),
    get("/api/v1/session/me", "Who you are.", Anyone, &[], Answer::Json(of::<Me>), &[]),
    get("/api/v1/session/visit", "What a page needs while it is rendered.", Nothing, &[], Answer::Json(of::<Visit>), &[]),
    post("/api/v1/session/sign-in", "Opens a session and sets its cookie.", Nothing, &[must("name", Text, "The account's."), must("password", Text, "Its password.")],
        Answer::Json(of::<User>), &[Code::Unauthenticated, RateLimited]),
    post("/api/v1/session/sign-out", "Ends the session that it is sent with.", Nothing, &[], Answer::Done, &[]),
    post("/api/v1/session/set-up", "Makes the first admin, with the one-time link that the server printed.", Nothing,
        &[must("token", Text, "Of the link."), must("name", Text, "1 to 40 letters, digits, dots, dashes or underscores."), must("password", Text, "At least 10 characters."), must("zone", Text, "Such as Europe/London.")],
        Answer::Json(of::<User>), &[Conflict]),
    post("/api/v1/settings/password", "Changes your password; other sessions end.", Session, &[must("current", Text, "The one so far."), must("new", Text, "At least 10 characters."), REVOKE, UNLINK], Answer::Done, &[RateLimited]),
    post("/api/v1/settings/zone", "Sets your time zone.", Session, &[must("zone", Text, "Such as Europe/London.")], Answer::Done, &[]),
    post("/api/v1/settings/appearance", "Keeps for this browser how its pages look; what is not given stays.", Nothing, &[may("theme", OneOf(&["system", "light", "dark"]), "Light, dark or the device's choice."), may("shortcuts", Flag, "false: single keys do nothing."), may("layout", OneOf(&["chat", "both", "tasks"]), "What the chat shows where there is room.")], Answer::Done, &[]),
    post("/api/v1/settings/model", "Chooses whether the configured model may answer you.", Session, &[must("uses", Flag, "false: the built-in rules answer.")], Answer::Done, &[]),
    post("/api/v1/settings/model/test", "Asks the model for a greeting and says how long it took.", Session, &[], Answer::Json(of::<Tried>), &[RateLimited]),
    get("/api/v1/session/link", "Whose invitation or reset a link is.", Nothing, &[must("token", Text, "Of the link.")], Answer::Json(of::<Option<LinkView>>), &[]),
    post("/api/v1/session/join", "Uses such a link: sets the password and opens a session.", Nothing,
        &[must("token", Text, "Of the link."), must("password", Text, "The new one."), may("zone", Text, "An IANA time zone."), REVOKE, UNLINK], Answer::Json(of::<User>), &[]),
    post("/api/v1/settings/tokens/create", "Makes a token; its secret is told this once.", Session, &[must("name", Text, "1 to 60 characters."), must("scopes", List, "What it is for: chat, tasks:read, tasks:write, tasks:delete, audit or admin."), may("kind", OneOf(&["personal", "agent"]), "agent: it works over MCP only, and its changes meet the gate; personal without it."), may("budget", Number, "How many changes it may make over MCP in an hour, 0 for any number; 120 without it."), AGAIN],
        Answer::Json(of::<TokenMade>), &[RateLimited]),
    get("/api/v1/settings/sessions", "Where you are signed in.", Session, &[], Answer::Json(of::<Vec<SessionView>>), &[]),
    post("/api/v1/settings/sessions/end", "Signs one browser out.", Session, &[must("session_id", Id, "Which.")], Answer::Done, &[NotFound]),
    post("/api/v1/settings/sessions/end-others", "Signs every other browser out.", Session, &[], Answer::Json(of::<SessionsEnded>), &[]),
    get("/api/v1/settings/policy/list", "What may be done to your list unasked.", Session, &[], Answer::Json(of::<Vec<PolicyView>>), &[]),
    post("/api/v1/settings/policy", "Makes the tool policy stricter than usual, or takes that back.", Session, &[must("rule", List, "Such as mcp.delete_task.deny.")], Answer::Json(of::<Vec<PolicyView>>), &[]),
    get("/api/v1/admin/users/list", "Every account. For admins.", ADMIN, &[], Answer::Json(of::<Vec<AccountView>>), &[]),
    post("/api/v1/admin/users/invite", "Lets somebody in by a link that works once. For admins.", Session, &[NAME, may("role", OneOf(&["user", "admin"]), "user without it."), AGAIN], Answer::Json(of::<LinkMade>), &[Conflict, RateLimited]),
    post("/api/v1/admin/users/reset", "A link by which an account gets another password. For admins.", Session, &[NAME, AGAIN], Answer::Json(of::<LinkMade>), &[NotFound, Conflict, RateLimited]),
    post("/api/v1/admin/users/disable", "Lets an account in no more: sessions, tokens, turns and requests end. For admins.", ADMIN, &[NAME], Answer::Json(of::<AccountView>), &[NotFound, Conflict]),
    post("/api/v1/admin/users/enable", "Lets it in again. For admins.", ADMIN, &[NAME], Answer::Json(of::<AccountView>), &[NotFound, Conflict]),
    post("/api/v1/admin/users/role", "Makes an account a user or an admin. For admins.", Session, &[NAME, must("role", OneOf(&["user", "admin"]), "Which."), AGAIN], Answer::Json(of::<AccountView>), &[NotFound, Conflict, RateLimited]),
    post("/api/v1/admin/users/erase", "Erases for good what somebody else said and did; their tasks stay. For admins.", Session, &[NAME, must("sure", Text, "The name once more."), may("before", Text, "Only what is older: a date in your zone."), AGAIN], Answer::Json(of::<ErasedView>), &[NotFound, Conflict, RateLimited]),
    get("/api/v1/admin/policy/list", "The tool policy for everyone. For admins.", ADMIN, &[], Answer::Json(of::<Vec<PolicyView>>), &[]),
    post("/api/v1/admin/policy/set", "Changes it. For admins.", Session, &[must("rule", List, "Such as mcp.delete_task.deny.")], Answer::Json(of::<Vec<PolicyView>>), &[]),
    get("/api/v1/rendered/access", "Sessions and tokens as a piece of a page.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/policy", "The tool policy as a piece of a page.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/users", "The accounts as a piece of a page. For admins.", ADMIN, &[], Answer::Piece, &[NotFound]),
    get("/api/v1/rendered/record", "The record as rows, each a piece of a page.", AUDIT, FILTER, Answer::Json(of::<Rows>), &[NotFound]),
    get("/api/v1/rendered/filters", "The fields of a filter of the record as a piece of a page.", AUDIT, FILTER, Answer::Piece, &[]),
    get("/api/v1/rendered/import", "Tasks from a file as a piece of a page.", READ, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/join", "The form behind a link as a piece of a page.", Nothing, &[must("token", Text, "Of the link.")], Answer::Piece, &[]),
    post("/api/v1/settings/erase", "Erases for good what you said and did; your tasks stay, and the record keeps digests.", Session, &[must("password", Text, "Yours."), may("before", Text, "Only what is older: a date in your zone.")], Answer::Json(of::<ErasedView>), &[RateLimited]),
    get("/api/v1/settings/tokens", "Your tokens; the secrets were shown once.", Session, &[], Answer::Json(of::<Vec<TokenView>>), &[]),
    post("/api/v1/settings/notices/dismiss", "Dismisses a notice to you about your account.", Session, &[must("notice_id", Id, "Which.")], Answer::Done, &[NotFound]),
    post("/api/v1/settings/tokens/revoke", "Makes one of your tokens useless.", Session, &[must("token_id", Id, "Which.")], Answer::Done, &[NotFound, Conflict]),
];

/// The caller's own password, where a session needs it again.
const AGAIN: Field = may("password", Text, "Your own; needed if you last entered it more than ten minutes ago.");
const REVOKE: Field = may("revoke_tokens", Flag, "true: every API token of the account is revoked.");
const UNLINK: Field = may("unlink_chats", Flag, "true: the account's chat on Telegram is unlinked.");
const PRIORITY: Kind = OneOf(&["none", "low", "medium", "high", "p1", "p2", "p3", "p4"]);
const STATUS: Kind = OneOf(&["pending", "completed"]);
const NAME: Field = must("name", Text, "The account's.");
/// The fields by which the record is narrowed, after others.
macro_rules! narrowed {
    ($($first:expr,)*) => {
        &[
            $($first,)*
            may("since", Text, "A day or an instant."),
            may("until", Text, "A day, inclusive, or an instant."),
            may("tool", Text, "Turns with a call of it."),
            may("outcome", Text, "SUCCESS, AMBIGUITY, REFUSAL, ERROR, or a whole HEAD:SUB."),
            may("kind", Text, "The kind of decision, such as INVOKE_TOOL."),
            may("engine", Text, "What decided, such as rules or external."),
            may("risk", OneOf(&["low", "medium", "high"]), "Turns with a call of this risk."),
            may("actor", Text, "message, approval or mcp."),
            may("conversation", Id, "Of that conversation."),
            may("text", Text, "Words of the message or the reply."),
            may("user", Text, "A name; only an admin may name another's."),
            may("cursor", Text, "`next` of the page before."),
        ]
    };
}
const FILTER: &[Field] = narrowed!();
const EXPORT: &[Field] = narrowed!(may("format", OneOf(&["jsonl", "csv"]), "jsonl without it."),);
const TURN: &[Field] = &[must("turn_id", Id, "Which.")];
const APPROVAL: &[Field] = &[must("approval_id", Id, "Which.")];
const FILE_TEXT: Field =
    must("text", Text, "The file's text, up to 4 MB; a form of the kind multipart/form-data may bring it as file.");
const FILE_FORMAT: Field = may("format", OneOf(&["json", "csv", "todoist-csv"]), "As it looks without.");
const TASK: Field = must("task_id", Number, "The task's number.");
const VERSION: Field = may("version", Number, "The version that you saw; a conflict if it is another by now.");
const DESCRIPTION: Field = may("description", Text, "Notes; at most 4,000 characters.");
const DUE: Field = may("due", Text, "An ISO date or date-time, or a phrase such as `tomorrow 5pm`.");
const PROJECT: Field = may("project", Text, "Its name.");
const RECURRENCE: Field = may(
    "recurrence",
    Text,
    "An RRULE, or a phrase such as `every monday`. With an empty `due`, a phrase's first day is the date.",
);
const TAGS: Field = may("tags", List, "All tags that it is to have.");

const fn get(
    path: &'static str,
    tells: &'static str,
    needs: Needs,
    fields: &'static [Field],
    answer: Answer,
    fails: &'static [Code],
) -> Entry {
    Entry { method: "GET", path, tells, needs, fields, answer, fails }
}

const fn post(
    path: &'static str,
    tells: &'static str,
    needs: Needs,
    fields: &'static [Field],
    answer: Answer,
    fails: &'static [Code],
) -> Entry {
    Entry { method: "POST", path, tells, needs, fields, answer, fails }
}

const fn must(name: &'static str, kind: Kind, tells: &'static str) -> Field {
    Field { name, kind, required: true, tells }
}

const fn may(name: &'static str, kind: Kind, tells: &'static str) -> Field {
    Field { name, kind, required: false, tells }
}
