//! Every function of the API. A new function needs a row here: the test in `end2end/server/openapi.rs` names missing ones.

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
use crate::domain::replay::Replay;
use crate::domain::statistics::Figures;
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

/// The table, in display order.
#[rustfmt::skip]
pub const TABLE: &[Entry] = &[
    post("/api/v1/chat", "Sends a message to the assistant. By default, the response is returned when the turn is done. The turn has the scopes of the token: a tool call without its scope (tasks:read, tasks:write or tasks:delete) is refused.", CHAT,
        &[must("message", Text, "The message; 1 to 8,000 characters."), may("conversation_id", Id, "The conversation to continue; a new one by default."),
          may("client_key", Text, "Idempotency key of your choice: a request with the same key returns the same turn, unless that turn was refused by the rate limit."), may("wait", Flag, "false returns immediately."),
          may("seen", Number, "The `head` of the conversation page that was shown when the message was sent: a yes or no answers only a question shown by then. By default, everything committed when the message arrived counts as shown."),
          may("option", Flag, "true: the message is one of the options that a question offered. It does not count as a confirmation.")],
        Answer::Json(of::<Turn>), &[NotFound, RateLimited]),
    get("/api/v1/turns/get", "Returns a turn in its current state.", CHAT, TURN, Answer::Json(of::<Turn>), &[NotFound]),
    post("/api/v1/turns/stop", "Stops a running turn. Completed changes are kept and listed in the reply.", CHAT, TURN, Answer::Json(of::<Turn>), &[NotFound]),
    get("/api/v1/conversations/list", "Lists your conversations, newest first.", CHAT,
        &[may("query", Text, "Words in the title or the newest messages; at most 100 characters."), may("hidden", Flag, "true: hidden conversations."), may("before", Id, "Id of the last conversation of the previous page; a page has 200.")], Answer::Json(of::<Vec<Conversation>>), &[]),
    post("/api/v1/conversations/rename", "Renames a conversation.", CHAT, &[must("conversation_id", Id, "The conversation's id."), must("title", Text, "The new title.")],
        Answer::Json(of::<Conversation>), &[NotFound]),
    post("/api/v1/conversations/hide", "Hides a conversation from the list, or shows it again. Nothing is deleted.", CHAT,
        &[must("conversation_id", Id, "The conversation's id."), may("hidden", Flag, "false shows it again.")], Answer::Json(of::<Conversation>), &[NotFound]),
    get("/api/v1/conversations/messages", "Returns a page of a conversation, oldest message first; by default of the newest conversation.", CHAT,
        &[may("conversation_id", Text, "The conversation's id, or `new` for an empty one."), may("before", Text, "`before` of the newer page.")],
        Answer::Json(of::<Thread>), &[NotFound]),
    get("/api/v1/tasks/list", "Lists the tasks that match all given filters: up to 200, or 50 of a view.", READ,
        &[may("status", OneOf(&["all", "pending", "completed"]), "pending: open tasks."), may("view", OneOf(&["today", "upcoming", "all", "done", "bin"]), "A list of the tasks page."),
          may("query", Text, "Words in the title or the notes."), may("due", Text, "overdue, today, week or a date."), may("priority", PRIORITY, "Only this priority."),
          may("project", Text, "Name of the project."), may("tag", Text, "Name of a tag."), may("cursor", Text, "`next` of the previous page.")],
        Answer::Json(of::<TaskRows>), &[]),
    get("/api/v1/tasks/get", "Returns a task, also from the bin, with its history.", READ, &[TASK], Answer::Json(of::<TaskLife>), &[NotFound]),
    get("/api/v1/tasks/facets", "Lists the projects and tags of open tasks, with counts.", READ, &[], Answer::Json(of::<Facets>), &[]),
    get("/api/v1/tasks/counts", "Returns the number of tasks in each view.", READ, &[], Answer::Json(of::<Counts>), &[]),
    get("/api/v1/tasks/parse", "Parses a quick-add line without adding a task.", READ, &[must("text", Text, "The quick-add line."), may("plain", List, "Words to keep as text.")],
        Answer::Json(of::<Understood>), &[]),
    post("/api/v1/tasks/add", "Adds a task from fields, or from a quick-add line in text.", WRITE,
        &[may("text", Text, "A quick-add line, such as `buy milk tomorrow p1 #errands`."), may("plain", List, "Words of the line to keep as text."),
          may("title", Text, "1 to 200 characters."), DESCRIPTION, DUE, may("priority", PRIORITY, "none, low, medium or high."), PROJECT, RECURRENCE,
          may("status", STATUS, "completed adds a completed task; pending by default."), TAGS, may("client_key", Text, "Idempotency key of your choice: a request with the same key adds nothing.")],
        Answer::Json(of::<TaskRow>), &[Conflict]),
    post("/api/v1/tasks/add_lines", "Adds a task for each line, all or none.", WRITE,
        &[must("lines", Text, "1 to 100 lines."), may("client_key", Text, "Idempotency key of your choice: a request with the same key adds nothing.")],
        Answer::Json(of::<Added>), &[Conflict]),
    post("/api/v1/tasks/import/preview", "Previews an import. Nothing is stored.", READ, &[FILE_TEXT, FILE_FORMAT], Answer::Json(of::<ImportPreview>), &[]),
    post("/api/v1/tasks/import", "Imports the tasks of a file, all or none. Undo the import with its import_id.", WRITE,
        &[FILE_TEXT, FILE_FORMAT, may("skip", Flag, "true skips rows that cannot be imported.")], Answer::Json(of::<ImportDone>), &[]),
    post("/api/v1/tasks/update", "Sets the given fields. Empty fields, and those listed in clear, are cleared.", WRITE,
        &[TASK, may("title", Text, "1 to 200 characters."), DESCRIPTION, DUE, may("priority", PRIORITY, "none, low, medium or high."), PROJECT, RECURRENCE,
          may("status", STATUS, "completed completes the task, pending reopens it."), TAGS, CLEAR, VERSION],
        Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/complete", "Completes a task.", WRITE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/reopen", "Reopens a completed task.", WRITE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/delete", "Moves a task to the bin, where it is kept for 30 days.", DELETE, &[TASK, VERSION], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/restore", "Restores a task from the bin, or to its state at a point in time.", RESTORE, &[TASK, VERSION, may("as_of", Text, "A point in time, or a local time in your time zone, such as 2026-11-20T10:00.")], Answer::Json(of::<TaskRow>), &[NotFound, Conflict]),
    post("/api/v1/tasks/bulk", "Applies one action to several tasks, all or none. Deleting and restoring need the scope tasks:delete.", WRITE,
        &[must("task_ids", List, "Task numbers, up to 1,000."), must("act", OneOf(&["complete", "reopen", "delete", "restore", "due", "priority", "project"]), "The action, or the field to set."),
          DUE, may("priority", PRIORITY, "none, low, medium or high."), PROJECT],
        Answer::Json(of::<Bulk>), &[NotFound, Conflict]),
    post("/api/v1/tasks/move", "Moves an open task directly before or after another one of the same day, or an overdue task next to another one. Give either before or after.", WRITE,
        &[TASK, may("before", Number, "Number of the task to move it before."), may("after", Number, "Number of the task to move it after.")],
        Answer::Json(of::<Moved>), &[NotFound, Conflict]),
    post("/api/v1/tasks/samples/add", "Adds the sample tasks that are not on the list.", WRITE, &[], Answer::Json(of::<Bulk>), &[Conflict]),
    post("/api/v1/tasks/samples/remove", "Moves unedited sample tasks to the bin.", DELETE, &[], Answer::Json(of::<Bulk>), &[Conflict]),
    post("/api/v1/undo/last", "Undoes your last action of the past hour, whether you made it yourself or asked the assistant.", WRITE, &[],
        Answer::Json(of::<Undone>), &[Conflict]),
    post("/api/v1/undo", "Undoes changes, a tool call, a turn or an import, with new changes that are logged. Give one of the four. Undoing an added or restored task also needs the scope tasks:delete.", WRITE,
        &[may("change_id", List, "One or more changes."), may("invocation_id", Text, "Id of a tool call."), may("turn_id", Id, "Id of a turn: all its changes."), may("import_id", Id, "Id of an import: all tasks that it added."),
          may("rest", Flag, "true undoes the independent changes and lists the others.")],
        Answer::Json(of::<Undone>), &[NotFound, Conflict]),
    get("/api/v1/approvals/list", "Lists approvals, newest first.", CHAT, &[may("status", OneOf(&["all", "pending", "approved", "rejected", "expired", "void"]), "Only approvals with this status."), may("brief", Flag, "true shortens the previews.")],
        Answer::Json(of::<Vec<ApprovalView>>), &[]),
    get("/api/v1/approvals/get", "Returns an approval with all changes that it would make.", CHAT,
        &[must("approval_id", Id, "The approval's id."), may("brief", Flag, "true: only the first tasks, with long texts shortened.")], Answer::Json(of::<ApprovalView>), &[NotFound]),
    post("/api/v1/approvals/decide", "Approves or rejects a request. The first verdict wins; a later one returns who decided and when. Also needs the scopes of the calls; without them, the response is 403 and the approval stays pending.", CHAT,
        &[must("approval_id", Id, "The approval's id."), must("verdict", OneOf(&["approve", "reject"]), "The verdict."), may("reason", Text, "Reason for a rejection; at most 500 characters.")],
        Answer::Json(of::<Decided>), &[NotFound, Conflict]),
    post("/api/v1/approvals/extend", "Restarts the full time of a pending approval.", CHAT, APPROVAL, Answer::Json(of::<ApprovalView>), &[NotFound, Conflict]),
    post("/api/v1/approvals/again", "Requests an expired approval again. Also needs the scopes of the calls.", CHAT, APPROVAL, Answer::Json(of::<AskedAgain>), &[NotFound, Conflict, RateLimited]),
    get("/api/v1/audit/list", "Lists the turns of the audit log, newest first: your own, or everyone's for admins, whose access is recorded. A text search covers a limited number of turns per request: searched says how far back it went, and next continues it.", AUDIT,
        FILTER, Answer::Json(of::<AuditPage>), &[NotFound]),
    get("/api/v1/audit/turn", "Returns a turn with everything recorded about it. Access by admins to other users' turns is recorded.", AUDIT, TURN, Answer::Json(of::<Story>), &[NotFound]),
    get("/api/v1/audit/story", "Returns the turn as an HTML fragment.", AUDIT, &[must("turn_id", Id, "The turn's id."), may("replay", Text, "recorded or rules: adds a replay of the decision."), may("list", Text, "Query of the list, which the links keep.")],
        Answer::Piece, &[NotFound, Conflict]),
    get("/api/v1/audit/replay", "Replays the decision of a turn, from its recorded replies or by the rules. Nothing is changed.", AUDIT,
        &[must("turn_id", Id, "The turn's id."), may("engine", Text, "recorded (default) or rules.")], Answer::Json(of::<Replay>), &[NotFound, Conflict]),
    get("/api/v1/audit/figures", "Returns statistics of the audit log; by default of the last 30 days.", AUDIT, FILTER, Answer::Json(of::<Figures>), &[NotFound]),
    get("/api/v1/audit/overview", "Returns the statistics as an HTML fragment with charts.", AUDIT, FILTER, Answer::Piece, &[NotFound]),
    get("/api/v1/audit/export", "Exports the turns that match a filter as a file, newest first. Exports by admins of other users' turns are recorded.", AUDIT, EXPORT, Answer::File, &[NotFound]),
    get("/api/v1/audit/verify", "Verifies the audit log: your own, or any user's or everyone's for admins.", AUDIT,
        &[may("user", Text, "Name of a user; only admins may name another user.")], Answer::Json(of::<Verification>), &[NotFound]),
    get("/api/v1/tasks/as_of", "Returns the task list at a point in time by number, up to 200 tasks a page.", READ,
        &[must("at", Text, "A point in time, or a local time in your time zone, such as 2026-11-20T10:00."), may("cursor", Text, "`next` of the previous page.")], Answer::Json(of::<Then>), &[]),
    get("/api/v1/tasks/as_of/page", "Returns the task list at a point in time as an HTML fragment.", READ, &[may("at", Text, "Now by default."), may("cursor", Text, "`next` of the previous page.")], Answer::Piece, &[]),
    post("/api/v1/tasks/snooze", "Snoozes a reminder for an hour.", CHANGE, &[TASK], Answer::Json(of::<Snoozed>), &[NotFound, Conflict]),
    get("/api/v1/memories/list", "Lists your memories, newest first.", CHAT, &[may("before", Text, "`next` of the previous page.")], Answer::Json(of::<Memories>), &[]),
    get("/api/v1/memories/search", "Searches your memories, best match first.", CHAT, &[must("query", Text, "The search text.")], Answer::Json(of::<Memories>), &[]),
    get("/api/v1/memories/page", "Returns memories as an HTML fragment.", CHAT, &[may("query", Text, "A search text."), may("before", Text, "`next` of the previous page.")], Answer::Json(of::<MemoryPage>), &[]),
    post("/api/v1/memories/forget", "Permanently deletes a memory.", CHAT, &[must("memory_id", Id, "The memory's id.")], Answer::Json(of::<Forgotten>), &[NotFound]),
    post("/api/v1/memories/forget_all", "Permanently deletes all memories.", CHAT, &[], Answer::Json(of::<Forgotten>), &[]),
    post("/api/v1/memories/switch", "Switches memory on or off. Messages sent while it is off are never remembered.", CHAT, &[must("on", Flag, "true or false.")], Answer::Done, &[]),
    get("/api/v1/export", "Exports all your data, or your tasks as CSV, for which tasks:read is enough.", TAKE, &[may("format", OneOf(&["json", "csv"]), "json by default.")], Answer::File, &[]),
    post("/api/v1/telegram/link", "Creates a code that links a Telegram chat, sent as /start CODE. If a token created the code, revoking the token unlinks the chat.", LINK, &[AGAIN], Answer::Json(of::<LinkCode>), &[Conflict, RateLimited]),
    post("/api/v1/telegram/unlink", "Unlinks the Telegram chat.", LINK, &[], Answer::Done, &[]),
    get("/api/v1/telegram/section", "Returns the Telegram section of the settings as an HTML fragment.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/events", "Streams your live events: changes, running turns and approvals.", Anyone, &[may("after", Text, "Sequence after which to start, like Last-Event-ID.")],
        Answer::Events, &[]),
    get("/api/v1/session/me", "Returns your account.", Anyone, &[], Answer::Json(of::<Me>), &[]),
    get("/api/v1/session/visit", "Returns the data that a page needs while it is rendered.", Nothing, &[], Answer::Json(of::<Visit>), &[]),
    post("/api/v1/session/sign-in", "Opens a session and sets its cookie.", Nothing, &[must("name", Text, "Name of the account."), must("password", Text, "Password of the account.")],
        Answer::Json(of::<User>), &[Code::Unauthenticated, RateLimited]),
    post("/api/v1/session/sign-out", "Ends the current session.", Nothing, &[], Answer::Done, &[]),
    post("/api/v1/session/set-up", "Creates the first admin, with the one-time link that the server printed.", Nothing,
        &[must("token", Text, "Token of the link."), must("name", Text, "1 to 40 letters, digits, dots, dashes or underscores."), must("password", Text, "At least 10 characters."), must("zone", Text, "An IANA time zone, such as Europe/London.")],
        Answer::Json(of::<User>), &[Conflict]),
    post("/api/v1/settings/password", "Changes your password and ends your other sessions.", Session, &[must("current", Text, "Your current password."), must("new", Text, "At least 10 characters."), REVOKE, UNLINK], Answer::Done, &[RateLimited]),
    post("/api/v1/settings/zone", "Sets your time zone.", Session, &[must("zone", Text, "An IANA time zone, such as Europe/London.")], Answer::Done, &[]),
    post("/api/v1/settings/appearance", "Sets the appearance for this browser; omitted fields are unchanged.", Nothing, &[may("theme", OneOf(&["system", "light", "dark"]), "system follows the device."), may("shortcuts", Flag, "false disables keyboard shortcuts."), may("layout", OneOf(&["chat", "both", "tasks"]), "Layout of the chat page on wide screens.")], Answer::Done, &[]),
    post("/api/v1/settings/model", "Sets whether the configured model may answer you.", Session, &[must("uses", Flag, "false: use the built-in rules.")], Answer::Done, &[]),
    post("/api/v1/settings/model/test", "Tests the model with one request and returns how long it took.", Session, &[], Answer::Json(of::<Tried>), &[RateLimited]),
    get("/api/v1/session/link", "Returns the account of an invitation or password-reset link.", Nothing, &[must("token", Text, "Token of the link.")], Answer::Json(of::<Option<LinkView>>), &[]),
    post("/api/v1/session/join", "Redeems an invitation or reset link: sets the password and opens a session.", Nothing,
        &[must("token", Text, "Token of the link."), must("password", Text, "The new password."), may("zone", Text, "An IANA time zone, such as Europe/London."), REVOKE, UNLINK], Answer::Json(of::<User>), &[]),
    post("/api/v1/settings/tokens/create", "Creates a token. Its secret is returned only once.", Session, &[must("name", Text, "1 to 60 characters."), must("scopes", List, "chat, tasks:read, tasks:write, tasks:delete, audit or admin."), may("kind", OneOf(&["personal", "agent"]), "agent: valid over MCP only, and risky changes need approval. personal by default."), may("budget", Number, "Maximum changes per hour over MCP; 0 = unlimited, 120 by default."), AGAIN],
        Answer::Json(of::<TokenMade>), &[RateLimited]),
    get("/api/v1/settings/sessions", "Lists your sessions.", Session, &[], Answer::Json(of::<Vec<SessionView>>), &[]),
    post("/api/v1/settings/sessions/end", "Ends a session.", Session, &[must("session_id", Id, "The session's id.")], Answer::Done, &[NotFound]),
    post("/api/v1/settings/sessions/end-others", "Ends all other sessions.", Session, &[], Answer::Json(of::<SessionsEnded>), &[]),
    get("/api/v1/settings/policy/list", "Lists your tool policy: which calls need approval.", Session, &[], Answer::Json(of::<Vec<PolicyView>>), &[]),
    post("/api/v1/settings/policy", "Makes your tool policy stricter, or resets it.", Session, &[must("rule", List, "A rule such as mcp.delete_task.deny.")], Answer::Json(of::<Vec<PolicyView>>), &[]),
    get("/api/v1/admin/users/list", "Lists all accounts. For admins.", ADMIN, &[], Answer::Json(of::<Vec<AccountView>>), &[]),
    post("/api/v1/admin/users/invite", "Invites a user with a one-time link. For admins.", Session, &[NAME, may("role", OneOf(&["user", "admin"]), "user by default."), AGAIN], Answer::Json(of::<LinkMade>), &[Conflict, RateLimited]),
    post("/api/v1/admin/users/reset", "Creates a password-reset link. For admins.", Session, &[NAME, AGAIN], Answer::Json(of::<LinkMade>), &[NotFound, Conflict, RateLimited]),
    post("/api/v1/admin/users/disable", "Disables an account and ends its sessions, tokens, turns and approvals. For admins.", ADMIN, &[NAME], Answer::Json(of::<AccountView>), &[NotFound, Conflict]),
    post("/api/v1/admin/users/enable", "Enables a disabled account. For admins.", ADMIN, &[NAME], Answer::Json(of::<AccountView>), &[NotFound, Conflict]),
    post("/api/v1/admin/users/role", "Changes the role of an account. For admins.", Session, &[NAME, must("role", OneOf(&["user", "admin"]), "The new role."), AGAIN], Answer::Json(of::<AccountView>), &[NotFound, Conflict, RateLimited]),
    post("/api/v1/admin/users/erase", "Permanently erases another user's messages, replies and changes; their tasks are kept. For admins.", Session, &[NAME, must("sure", Text, "The name again, as confirmation."), may("before", Text, "Erase only older data: a date in your time zone."), AGAIN], Answer::Json(of::<ErasedView>), &[NotFound, Conflict, RateLimited]),
    get("/api/v1/admin/policy/list", "Lists the tool policy for everyone. For admins.", ADMIN, &[], Answer::Json(of::<Vec<PolicyView>>), &[]),
    post("/api/v1/admin/policy/set", "Changes the tool policy for everyone. For admins.", Session, &[must("rule", List, "A rule such as mcp.delete_task.deny.")], Answer::Json(of::<Vec<PolicyView>>), &[]),
    get("/api/v1/rendered/access", "Returns sessions and tokens as an HTML fragment.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/policy", "Returns the tool policy as an HTML fragment.", Session, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/users", "Returns the accounts as an HTML fragment. For admins.", ADMIN, &[], Answer::Piece, &[NotFound]),
    get("/api/v1/rendered/record", "Returns the audit log as rows, each an HTML fragment.", AUDIT, FILTER, Answer::Json(of::<Rows>), &[NotFound]),
    get("/api/v1/rendered/filters", "Returns the filter form of the audit log as an HTML fragment.", AUDIT, FILTER, Answer::Piece, &[]),
    get("/api/v1/rendered/import", "Returns the import form as an HTML fragment.", READ, &[], Answer::Piece, &[]),
    get("/api/v1/rendered/join", "Returns the form of an invitation or reset link as an HTML fragment.", Nothing, &[must("token", Text, "Token of the link.")], Answer::Piece, &[]),
    post("/api/v1/settings/erase", "Permanently erases your messages, replies and changes. Your tasks are kept, and the audit log keeps hashes.", Session, &[must("password", Text, "Your password."), may("before", Text, "Erase only older data: a date in your time zone.")], Answer::Json(of::<ErasedView>), &[RateLimited]),
    get("/api/v1/settings/tokens", "Lists your tokens, without their secrets.", Session, &[], Answer::Json(of::<Vec<TokenView>>), &[]),
    post("/api/v1/settings/notices/dismiss", "Dismisses a notice about your account.", Session, &[must("notice_id", Id, "The notice's id.")], Answer::Done, &[NotFound]),
    post("/api/v1/settings/tokens/revoke", "Revokes a token.", Session, &[must("token_id", Id, "The token's id.")], Answer::Done, &[NotFound, Conflict]),
];

/// The caller's own password, for sessions that must enter it again.
const AGAIN: Field = may("password", Text, "Your password; required if you last entered it more than ten minutes ago.");
const REVOKE: Field = may("revoke_tokens", Flag, "true revokes all API tokens of the account.");
const UNLINK: Field = may("unlink_chats", Flag, "true unlinks the account's Telegram chat.");
const PRIORITY: Kind = OneOf(&["none", "low", "medium", "high", "p1", "p2", "p3", "p4"]);
const STATUS: Kind = OneOf(&["pending", "completed"]);
const NAME: Field = must("name", Text, "Name of the account.");
/// Builds a list of fields: the given ones, then those that narrow an audit search.
macro_rules! narrowed {
    ($($first:expr,)*) => {
        &[
            $($first,)*
            may("since", Text, "A date or a time."),
            may("until", Text, "A date (inclusive) or a time."),
            may("tool", Text, "Turns with a call of this tool."),
            may("outcome", Text, "SUCCESS, AMBIGUITY, REFUSAL, ERROR, or a full outcome HEAD:SUB."),
            may("kind", Text, "The kind of decision, such as INVOKE_TOOL."),
            may("engine", Text, "The engine, such as rules or external."),
            may("risk", OneOf(&["low", "medium", "high"]), "Turns with a call of this risk."),
            may("actor", Text, "message, approval or mcp."),
            may("conversation", Id, "Id of a conversation."),
            may("text", Text, "Words in the message or the reply."),
            may("user", Text, "Name of a user; only admins may name another user."),
            may("cursor", Text, "`next` of the previous page."),
        ]
    };
}
const FILTER: &[Field] = narrowed!();
const EXPORT: &[Field] = narrowed!(may("format", OneOf(&["jsonl", "csv"]), "jsonl by default."),);
const TURN: &[Field] = &[must("turn_id", Id, "The turn's id.")];
const APPROVAL: &[Field] = &[must("approval_id", Id, "The approval's id.")];
const FILE_TEXT: Field =
    must("text", Text, "The file's text, up to 4 MB. A multipart/form-data form may send it as file.");
const FILE_FORMAT: Field = may(
    "format",
    OneOf(&["json", "csv", "todoist-csv", "ticktick-csv", "microsoft-csv", "microsoft-json", "google-json"]),
    "Detected by default.",
);
const TASK: Field = must("task_id", Number, "The task's number.");
const VERSION: Field = may("version", Number, "The version that you loaded; a conflict if the task has changed since.");
const DESCRIPTION: Field = may("description", Text, "Notes; at most 4,000 characters.");
const DUE: Field = may("due", Text, "An ISO date or date-time, or a phrase such as `tomorrow 5pm`.");
const PROJECT: Field = may("project", Text, "Name of the project.");
const RECURRENCE: Field = may(
    "recurrence",
    Text,
    "An RRULE, or a phrase such as `every monday`. With an empty `due`, a phrase's first day is the date.",
);
const TAGS: Field = may("tags", List, "All tags of the task.");
const CLEAR: Field = may("clear", List, "Fields to clear: description, due, priority, project, tags or recurrence.");

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
