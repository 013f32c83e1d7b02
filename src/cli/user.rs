//! `docket user`: accounts.

use clap::Subcommand;

use super::{Error, password_from_stdin, print_table};
use crate::api::wording::spans::moment_of;
use crate::domain::user::{self as domain, Account, Role};
use crate::state::AppState;
use crate::usecases;
use crate::usecases::accounts::{self, AlsoEnd, Manager};
use crate::usecases::erasure;
use crate::workflow::shut_out;

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
        /// May also read everyone's record and manage users
        #[arg(long)]
        admin: bool,
        /// The account's IANA time zone
        #[arg(long, default_value = "UTC")]
        timezone: String,
    },
    /// List all accounts
    #[command(after_help = "Example:\n  docket user list")]
    List,
    /// Shut an account out; its data stays
    #[command(after_help = "Example:\n  docket user disable ada")]
    Disable { name: String },
    /// Let a disabled account in again
    #[command(after_help = "Example:\n  docket user enable ada")]
    Enable { name: String },
    /// Erase for good what an account said and did; its tasks stay as they are, and the record can still be verified
    #[command(
        after_help = "Example:\n  docket user erase ada --before 2026-01-01\n\nWithout --before, all of it. It asks first: type \
                            the name, or give --yes. Copies of the database that were made earlier still hold the texts."
    )]
    Erase {
        name: String,
        /// Only what is older: a date, or a date and time, in the account's time zone
        #[arg(long, value_name = "DATE")]
        before: Option<String>,
        /// Do not ask
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
    /// Set an account's password; its sessions end, and on request its tokens and its link with Telegram
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
            shut_out::disable(state, by, &name).await?;
            println!("Disabled {name}.");
        }
        User::Enable { name } => {
            accounts::enable(ctx, by, &name).await?;
            println!("Enabled {name}.");
        }
        User::Erase { name, before, yes } => {
            let user = accounts::caller_of_name(ctx, &name).await?.user;
            let before = moment_of(before.as_deref(), &user.zone).map_err(usecases::Error::from)?;
            if !yes {
                sure(&user)?;
            }
            let erased = erasure::by_operator(ctx, &user, before.as_ref()).await?;
            let traces = |_| {
                let told = "but traces of the texts are still in the database's files; repeat the command, or let the server do it";
                Error::State(format!("{}, {told}.", erased.sentence()))
            };
            erasure::clean(ctx).await.map_err(traces)?;
            println!("{}.", erased.sentence());
        }
        User::Role { name, role } => {
            let role = Role::parse(&role).map_err(usecases::Error::from)?;
            let user = accounts::set_role(ctx, by, &name, role).await?;
            println!("{} is {} now.", user.name, if role == Role::Admin { "an admin" } else { "a user" });
        }
        User::Password { name, password_stdin, revoke_tokens, unlink_chats } => {
            let password = password_from_stdin(password_stdin)?;
            let also = AlsoEnd { tokens: revoke_tokens, chats: unlink_chats };
            accounts::set_password(ctx, &name, &password, also).await?;
            println!("{name} has a new password; open sessions have ended.");
            if revoke_tokens {
                println!("All API tokens of {name} are revoked.");
            }
            if unlink_chats {
                println!("No chat on Telegram is linked with {name}.");
            }
        }
    }
    Ok(())
}

/// Has the name of the account typed, since nothing brings back what is erased.
fn sure(user: &domain::User) -> Result<(), Error> {
    let name = &user.name;
    eprintln!("What {name} said and did is erased for good. Type {name} to go on:");
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed).map_err(Error::Stdin)?;
    if typed.trim() == name.as_str() {
        return Ok(());
    }
    Err(Error::State(format!("That is not {name}, so nothing was erased; type the name, or give --yes.")))
}
