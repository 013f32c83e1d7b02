//! Accounts, roles, scopes, and who is calling.

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
    /// Trims, lowers and checks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let name = text.trim().to_lowercase();
        let fits = (1..=40).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        if fits {
            Ok(Self(name))
        } else {
            Err(Invalid::because(
                "A name has 1 to 40 letters a–z, digits, dots, dashes or underscores, and begins with a letter or digit.",
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

/// What an account may do beyond its own data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    /// May also read everyone's record and manage users.
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

/// What a token may be used for. A session has all that its role allows.
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
    /// Every scope, in the order in which they are shown.
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

    /// Reads a comma-separated list, e.g. `chat,tasks:read`.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, Invalid> {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Self::parse).collect()
    }

    /// The inverse of [`Scope::parse_list`].
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
    /// Whether a configured model may answer them; else the rules do.
    pub uses_model: bool,
    pub disabled: bool,
    pub created_at: Timestamp,
}

/// What a one-time link lets its holder do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkPurpose {
    /// Choose the first password of an account that an admin has made.
    Invite,
    /// Choose a new one.
    Reset,
}

impl LinkPurpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invite => "invite",
            Self::Reset => "reset",
        }
    }

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Invite, Self::Reset].into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// An account as admins see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub user: User,
    /// No password has been chosen yet.
    pub invited: bool,
    /// When they were last here, to some minutes.
    pub seen_at: Option<Timestamp>,
}

/// Where a browser's request comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visitor {
    /// The browser's own, or that of its network; `None` where nobody knows.
    pub address: Option<std::net::IpAddr>,
    /// The browser and its system in a few words.
    pub device: String,
    /// The trace that the request belongs to; `None` also where nobody collects spans.
    pub trace: Option<super::trace::Traceparent>,
}

/// A browser that is signed in, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    pub session_id: SessionId,
    pub device: String,
    pub created_at: Timestamp,
    pub seen_at: Option<Timestamp>,
    /// The one that asks.
    pub current: bool,
}

/// In whose hands a token is, and so at which doors it is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// A program of the person's own: over the API it is their hand, over MCP an agent like any other.
    Personal,
    /// An outside agent: over MCP only, since there alone what it does meets the gate.
    Agent,
}

impl TokenKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Agent => "agent",
        }
    }

    /// Reads a stored or a typed name.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = [Self::Personal, Self::Agent].into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::because(format!("“{text}” is not a kind of token; use personal or agent.")))
    }

    /// Whether a token of the kind can have use of the scope.
    pub fn takes(self, scope: Scope) -> bool {
        self == Self::Personal || !matches!(scope, Scope::Audit | Scope::Admin)
    }
}

/// A personal API token as its owner sees it; the secret was told once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenInfo {
    pub token_id: TokenId,
    pub label: String,
    pub kind: TokenKind,
    pub scopes: Vec<Scope>,
    /// Changes that an agent with this token may make in an hour; 0 is any number.
    pub budget: i64,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

impl TokenInfo {
    /// The budget of a token that was made without one: enough to tidy a list, too little to ruin one unnoticed.
    pub const BUDGET: i64 = 120;
    /// The largest budget.
    pub const MOST_BUDGET: i64 = 1_000_000;
}

/// An outside agent as the record names it: each token is one; and a person's own program by its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub token_id: TokenId,
    /// The token's label.
    pub label: String,
}

/// A browser session as the record names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub session_id: SessionId,
    /// The browser and its system in a few words; empty if it does not say.
    pub device: String,
}

/// By which door a caller came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// A browser with a session.
    Web,
    /// A program with a token.
    Api,
    Telegram,
    /// An outside agent over MCP.
    Mcp,
    /// The command line on the server's machine.
    Cli,
}

impl Door {
    /// Every door.
    pub const ALL: [Self; 5] = [Self::Web, Self::Api, Self::Telegram, Self::Mcp, Self::Cli];

    /// Reads a stored name.
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

/// An authenticated person or program; only authentication makes one. Every use case takes one, and every query its user id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub user: User,
    pub door: Door,
    pub scopes: Vec<Scope>,
    /// The outside agent that acts for the user, if one does.
    pub agent: Option<Agent>,
    /// The token by which a program of the user's own acts as they would, if one does.
    pub program: Option<Agent>,
    /// The browser session, if there is one.
    pub session: Option<Session>,
    /// Inside a turn: the tokens that bound its calls. Each call asks the database for their present scopes, which may be fewer than
    /// [`Caller::scopes`] by then. Empty for sessions and linked chats, which have all of the user's rights.
    pub bounds: Vec<TokenId>,
}

impl Caller {
    /// A caller with no token, session or agent.
    pub fn new(user: User, door: Door, scopes: Vec<Scope>) -> Self {
        Self { user, door, scopes, agent: None, program: None, session: None, bounds: vec![] }
    }

    /// The credential by which the caller came, for records of what they cause.
    pub fn credential(&self) -> Credential {
        // Inside a turn, `agent` names who asked for the calls and not who came, unless an agent did.
        let token = self.program.as_ref().or(self.agent.as_ref().filter(|_| self.door == Door::Mcp));
        Credential {
            door: self.door,
            token_id: token.map(|token| token.token_id),
            token: token.map(|token| token.label.clone()),
            session_id: self.session.as_ref().map(|session| session.session_id),
            device: self.session.as_ref().map(|session| session.device.clone()).filter(|device| !device.is_empty()),
        }
    }

    /// The owner whose rows this caller may touch.
    pub fn id(&self) -> UserId {
        self.user.user_id
    }

    /// Whether this caller may do what `scope` guards.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) && (scope != Scope::Admin || self.user.role == Role::Admin)
    }

    /// The same caller as an admin, if it is one.
    pub fn admin(&self) -> Option<Admin> {
        self.may(Scope::Admin).then(|| Admin(self.clone()))
    }
}

/// A caller that has been shown to be an admin.
#[derive(Debug, Clone)]
pub struct Admin(Caller);

impl Admin {
    pub fn caller(&self) -> &Caller {
        &self.0
    }
}
