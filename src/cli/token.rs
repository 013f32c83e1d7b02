//! `docket token`: personal API tokens.

use clap::Subcommand;

use super::{Error, print_table};
use crate::domain::id::TokenId;
use crate::domain::user::{Scope, TokenInfo, TokenKind};
use crate::usecases::{self, Ctx, accounts};

/// Default scopes of each kind of token.
const PERSONAL: &str = "chat,tasks:read,tasks:write";
const AGENTS: &str = "tasks:read,tasks:write";

#[derive(Debug, Subcommand)]
pub enum Token {
    /// Create a token and print it once, alone on standard output
    #[command(
        after_help = "Example:\n  docket token create --user ada --name phone --scope chat,tasks:read\n  docket token create --user ada --name \"Claude Desktop\" --agent --scope tasks:read,tasks:write"
    )]
    Create {
        /// Name of the user who owns the token
        #[arg(long)]
        user: String,
        /// Name of the token
        #[arg(long)]
        name: String,
        /// Create an agent's token: valid over MCP only, where risky calls need approval. Without it, the token is for the user's
        /// own programs, which may do over the API all that its scopes allow, without approval
        #[arg(long)]
        agent: bool,
        /// Scopes, separated by commas: chat, tasks:read, tasks:write, tasks:delete, audit, admin [default:
        /// chat,tasks:read,tasks:write; for an agent: tasks:read,tasks:write]
        #[arg(long)]
        scope: Option<String>,
        /// Number of changes that an agent may make per hour; 0 = unlimited
        #[arg(long, default_value_t = TokenInfo::BUDGET)]
        budget: i64,
    },
    /// List an account's tokens
    #[command(after_help = "Example:\n  docket token list --user ada")]
    List {
        /// Name of the user
        #[arg(long)]
        user: String,
    },
    /// Revoke a token
    #[command(after_help = "Example:\n  docket token revoke 01890a5d-ac96-774b-bcce-b302099a8057")]
    Revoke {
        /// The token's id, as `docket token list` shows it
        id: String,
    },
}

pub async fn run(ctx: &Ctx, command: Token) -> Result<(), Error> {
    match command {
        Token::Create { user, name, agent, scope, budget } => {
            let (kind, usual) = if agent { (TokenKind::Agent, AGENTS) } else { (TokenKind::Personal, PERSONAL) };
            let scopes = Scope::parse_list(scope.as_deref().unwrap_or(usual)).map_err(usecases::Error::from)?;
            let (id, secret) = accounts::create_token_for(ctx, kind, &user, &name, &scopes, budget).await?;
            eprintln!("Created token {id}. It is shown only once:");
            println!("{secret}");
        }
        Token::List { user } => {
            let tokens = accounts::list_tokens(ctx, &user).await?;
            let row = |token: &TokenInfo| {
                let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
                let state = if token.revoked_at.is_some() { "revoked" } else { "active" };
                vec![
                    token.token_id.to_string(),
                    token.label.clone(),
                    token.kind.as_str().into(),
                    scopes.join(","),
                    if token.budget == 0 { "off".into() } else { format!("{}/h", token.budget) },
                    state.into(),
                    token.created_at.to_string(),
                ]
            };
            print_table(
                &["ID", "NAME", "KIND", "SCOPES", "BUDGET", "STATE", "SINCE"],
                &tokens.iter().map(row).collect::<Vec<_>>(),
            )?;
        }
        Token::Revoke { id } => {
            accounts::revoke_token(ctx, TokenId::parse(&id).map_err(usecases::Error::from)?).await?;
            println!("Revoked {id}.");
        }
    }
    Ok(())
}
