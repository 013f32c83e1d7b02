//! Accounts, roles, scopes and authenticated callers.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::credential::Credential;
use super::id::{SessionId, TokenId, UserId};
use super::time::Timestamp;

/// A sign-in name: 1–40 of `a–z 0–9 . _ -`, lower case, beginning with a letter or digit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct UserName(String);

impl UserName {
    /// Trims, lower-cases and checks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let name = text.trim().to_lowercase();
        let fits = (1..=40).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        if fits {
            Ok(Self(name))
        } else {
            Err(Invalid::because(
                "A name must have 1 to 40 letters a–z, digits, dots, dashes or underscores, and start with a letter \
                     or digit.",
            ))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for UserName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Role of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    /// May also read all users' audit logs and manage users.
    Admin,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "user" => Ok(Self::User),
            "admin" => Ok(Self::Admin),
            _ => Err(Invalid::because(format!("“{text}” is not a role; use user or admin."))),
        }
    }
}

/// A permission of a token. A session has all permissions of its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub enum Scope {
    #[serde(rename = "chat")]
    Chat,
    #[serde(rename = "tasks:read")]
    TasksRead,
    #[serde(rename = "tasks:write")]
    TasksWrite,
    #[serde(rename = "tasks:delete")]
    TasksDelete,
    #[serde(rename = "audit")]
    Audit,
    #[serde(rename = "admin")]
    Admin,
}

impl Scope {
    /// All scopes, in display order.
    pub const ALL: [Self; 6] =
        [Self::Chat, Self::TasksRead, Self::TasksWrite, Self::TasksDelete, Self::Audit, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::TasksRead => "tasks:read",
            Self::TasksWrite => "tasks:write",
            Self::TasksDelete => "tasks:delete",
            Self::Audit => "audit",
            Self::Admin => "admin",
        }
    }

    /// Parses a comma-separated list, e.g. `chat,tasks:read`.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Invalid> {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Self::parse).collect()
    }

    /// Writes the form that [`Scope::parse_list`] parses.
    pub fn write_list(scopes: &[Self]) -> String {
        scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
    }

    fn parse(name: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Invalid::because(format!("“{name}” is not a scope; the scopes are {known}."))
        })
    }
}

/// An account as its owner and admins see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct User {
    pub user_id: UserId,
    pub name: UserName,
    pub role: Role,
    /// IANA name, e.g. `Europe/London`.
    pub zone: String,
    /// True if a configured model may answer; otherwise the rules do.
    pub uses_model: bool,
    pub disabled: bool,
    pub created_at: Timestamp,
}

/// Purpose of a one-time link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkPurpose {
    /// Choosing the first password of an account that an admin created.
    Invite,
    /// Choosing a new password.
    Reset,
}

impl LinkPurpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::Reset => "reset",
        }
    }

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Invite, Self::Reset].into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// An account as admins see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub user: User,
    /// True until a password is chosen.
    pub invited: bool,
    /// Time of the last activity, accurate to some minutes.
    pub seen_at: Option<Timestamp>,
}

/// Origin of a browser's request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// Address of the browser or its network; `None` if unknown.
    pub address: Option<std::net::IpAddr>,
    /// Browser and operating system.
    pub device: String,
    /// Trace context of the request; `None` also if tracing is off.
    pub trace: Option<super::trace::Traceparent>,
}

/// A signed-in browser, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    pub session_id: SessionId,
    pub device: String,
    pub created_at: Timestamp,
    pub seen_at: Option<Timestamp>,
    /// True for the session of the request.
    pub current: bool,
}

/// Kind of a token, which decides the channels it is valid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// The person's own program: acts as the person over the API, and as an agent over MCP.
    Personal,
    /// An agent client: valid over MCP only, where calls pass the approval gate.
    Agent,
}

impl TokenKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Agent => "agent",
        }
    }

    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = [Self::Personal, Self::Agent].into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::because(format!("“{text}” is not a kind of token; use personal or agent.")))
    }

    /// Returns true if a token of this kind may have the scope.
    pub fn takes(self, scope: Scope) -> bool {
        self == Self::Personal || !matches!(scope, Scope::Audit | Scope::Admin)
    }
}

/// An API token as its owner sees it; the secret is shown only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenInfo {
    pub token_id: TokenId,
    pub label: String,
    pub kind: TokenKind,
    pub scopes: Vec<Scope>,
    /// Changes that an agent with this token may make in an hour; 0 for unlimited.
    pub budget: i64,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

impl TokenInfo {
    /// Default budget: enough to tidy a list, too little to ruin one unnoticed.
    pub const BUDGET: i64 = 120;
    /// The largest budget.
    pub const MOST_BUDGET: i64 = 1_000_000;
}

/// An agent client, or a person's own program, as named in records. Each token is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub token_id: TokenId,
    /// The token's label.
    pub label: String,
}

/// A browser session as named in records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub session_id: SessionId,
    /// Browser and operating system; empty if unknown.
    pub device: String,
}

/// Channel of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// A browser with a session.
    Web,
    /// A program with a token.
    Api,
    Telegram,
    /// An agent client over MCP.
    Mcp,
    /// The command line on the server's machine.
    Cli,
}

impl Door {
    pub const ALL: [Self; 5] = [Self::Web, Self::Api, Self::Telegram, Self::Mcp, Self::Cli];

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|door| door.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Api => "api",
            Self::Telegram => "telegram",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
        }
    }
}

/// An authenticated person or program; created only by authentication. Use cases take a caller, and queries its user id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub user: User,
    pub door: Door,
    pub scopes: Vec<Scope>,
    /// The agent client that acts for the user, if one does.
    pub agent: Option<Agent>,
    /// The token of the user's own program that acts as the user, if one does.
    pub program: Option<Agent>,
    /// The browser session, if there is one.
    pub session: Option<Session>,
    /// Inside a turn: the tokens that restrict its calls. Each call reads their present scopes, which may be fewer than
    /// [`Caller::scopes`]. Empty for sessions and linked chats, which have all of the user's permissions.
    pub bounds: Vec<TokenId>,
}

impl Caller {
    /// Creates a caller without token, session or agent.
    pub fn new(user: User, door: Door, scopes: Vec<Scope>) -> Self {
        Self { user, door, scopes, agent: None, program: None, session: None, bounds: vec![] }
    }

    /// Returns the caller's credential, for records of what it causes.
    pub fn credential(&self) -> Credential {
        // Inside a turn, `agent` is the asker of its calls; it is the credential only if the caller came over MCP.
        let token = self.program.as_ref().or(self.agent.as_ref().filter(|_| self.door == Door::Mcp));
        Credential {
            door: self.door,
            token_id: token.map(|token| token.token_id),
            token: token.map(|token| token.label.clone()),
            session_id: self.session.as_ref().map(|session| session.session_id),
            device: self.session.as_ref().map(|session| session.device.clone()).filter(|device| !device.is_empty()),
        }
    }

    /// Returns the id of the user whose rows this caller may access.
    pub fn id(&self) -> UserId {
        self.user.user_id
    }

    /// Returns true if this caller has the scope.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) && (scope != Scope::Admin || self.user.role == Role::Admin)
    }

    /// Returns the caller as an admin, if it is one.
    pub fn admin(&self) -> Option<Admin> {
        self.may(Scope::Admin).then(|| Admin(self.clone()))
    }
}

/// A caller that was verified to be an admin.
#[derive(Debug, Clone)]
pub struct Admin(Caller);

impl Admin {
    pub fn caller(&self) -> &Caller {
        &self.0
    }
}
