//! `docket user`: accounts.

use clap::Subcommand;

use super::{Error, password_from_stdin, print_table};
use crate::api::views::spans::moment_of;
use crate::domain::Invalid;
use crate::domain::user::{self as domain, Account, Role};
use crate::state::AppState;
use crate::usecases;
use crate::usecases::accounts::{self, AlsoEnd, Manager};
use crate::usecases::erasure;
use crate::workflow::disable_account;

#[derive(Debug, Subcommand)]
pub enum User {
    /// Add an account
    #[command(
        after_help = "Example:\n  echo 'a long password' | docket user add ada --password-stdin --timezone Europe/London"
    )]
    Add {
        name: String,
        /// Read the password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
        /// Make the account an admin, who may read every audit log and manage users
        #[arg(long)]
        admin: bool,
        /// The account's IANA time zone
        #[arg(long, default_value = "UTC")]
        timezone: String,
    },
    /// List all accounts
    #[command(after_help = "Example:\n  docket user list")]
    List,
    /// Disable an account; its data stays
    #[command(after_help = "Example:\n  docket user disable ada")]
    Disable { name: String },
    /// Enable a disabled account
    #[command(after_help = "Example:\n  docket user enable ada")]
    Enable { name: String },
    /// Permanently erase an account's texts; its tasks stay as they are, and the audit log can still be verified
    #[command(after_help = "Example:\n  docket user erase ada --before 2026-01-01\n\nWithout --before, all texts are \
         erased. The command asks you to type the name, unless you add --yes. Earlier copies of the database still \
         contain the texts.")]
    Erase {
        name: String,
        /// Only texts older than this: a date, or a date and time, in the account's time zone
        #[arg(long, value_name = "DATE")]
        before: Option<String>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Make an account an admin, or a user again
    #[command(after_help = "Example:\n  docket user role ada admin")]
    Role {
        name: String,
        /// user or admin
        role: String,
    },
    /// Set an account's password and end its sessions; on request, also revoke its tokens and unlink its Telegram chat
    #[command(
        after_help = "Example:\n  echo 'a new long password' | docket user password ada --password-stdin --revoke-tokens --unlink-chats"
    )]
    Password {
        name: String,
        /// Read the password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
        /// Revoke every API token of the account as well
        #[arg(long)]
        revoke_tokens: bool,
        /// Unlink the account's chat on Telegram as well
        #[arg(long)]
        unlink_chats: bool,
    },
}

pub async fn run(state: &AppState, command: User) -> Result<(), Error> {
    let (ctx, by) = (&state.ctx, &Manager::CommandLine);
    match command {
        User::Add { name, password_stdin, admin, timezone } => {
            let password = password_from_stdin(password_stdin)?;
            let role = if admin { Role::Admin } else { Role::User };
            let user = accounts::add_user(ctx, &name, &password, role, &timezone).await?;
            println!("Added {}.", user.name);
        }
        User::List => {
            let users = accounts::list_users(ctx).await?;
            let row = |account: &Account| {
                let user = &account.user;
                let state = match (user.disabled, account.invited) {
                    (true, _) => "disabled",
                    (false, true) => "invited",
                    (false, false) => "active",
                };
                let role = user.role.as_str();
                vec![user.name.to_string(), role.into(), state.into(), user.zone.clone(), user.created_at.to_string()]
            };
            print_table(&["NAME", "ROLE", "STATE", "TIMEZONE", "SINCE"], &users.iter().map(row).collect::<Vec<_>>())?;
        }
        User::Disable { name } => {
            disable_account::disable(state, by, &name).await?;
            println!("Disabled {name}.");
        }
        User::Enable { name } => {
            accounts::enable(ctx, by, &name).await?;
            println!("Enabled {name}.");
        }
        User::Erase { name, before, yes } => {
            let user = accounts::caller_of_name(ctx, &name).await?.user;
            // An unset variable of a script must not erase everything.
            if before.as_deref().is_some_and(|before| before.trim().is_empty()) {
                let told =
                    Invalid::because("--before is empty. Give a date, or leave the option out to erase all texts.");
                return Err(usecases::Error::from(told).into());
            }
            let before = moment_of(before.as_deref(), &user.zone).map_err(usecases::Error::from)?;
            if !yes {
                sure(&user)?;
            }
            let erased = erasure::by_operator(ctx, &user, before.as_ref()).await?;
            let traces = |_| {
                let told = "but traces of the texts remain in the database's files. Repeat the command, or let the server finish";
                Error::State(format!("{}, {told}.", erased.sentence()))
            };
            erasure::clean(ctx).await.map_err(traces)?;
            println!("{}.", erased.sentence());
        }
        User::Role { name, role } => {
            let role = Role::parse(&role).map_err(usecases::Error::from)?;
            let user = accounts::set_role(ctx, by, &name, role).await?;
            println!("{} is now {}.", user.name, if role == Role::Admin { "an admin" } else { "a user" });
        }
        User::Password { name, password_stdin, revoke_tokens, unlink_chats } => {
            let password = password_from_stdin(password_stdin)?;
            let also = AlsoEnd { tokens: revoke_tokens, chats: unlink_chats };
            accounts::set_password(ctx, &name, &password, also).await?;
            println!("Changed the password of {name}; open sessions have ended.");
            if revoke_tokens {
                println!("Revoked all API tokens of {name}.");
            }
            if unlink_chats {
                println!("No Telegram chat is linked to {name}.");
            }
        }
    }
    Ok(())
}

/// Asks for the name of the account as confirmation, since erasing cannot be undone.
fn sure(user: &domain::User) -> Result<(), Error> {
    let name = &user.name;
    eprintln!("This permanently erases the messages, replies and changes of {name}. Type {name} to continue:");
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed).map_err(Error::Stdin)?;
    if typed.trim() == name.as_str() {
        return Ok(());
    }
    Err(Error::State(format!("You did not type {name}, so nothing was erased; type the name, or add --yes.")))
}
