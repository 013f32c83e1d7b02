//! `docket user`: accounts.

use clap::Subcommand;

use super::{Error, password_from_stdin, print_table};
use crate::domain::user::Role;
use crate::usecases::{Ctx, accounts};

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
    /// Set an account's password; its sessions end
    #[command(after_help = "Example:\n  echo 'a new long password' | docket user password ada --password-stdin")]
    Password {
        name: String,
        /// Read the password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
    },
}

pub async fn run(ctx: &Ctx, command: User) -> Result<(), Error> {
    match command {
        User::Add { name, password_stdin, admin, timezone } => {
            let password = password_from_stdin(password_stdin)?;
            let role = if admin { Role::Admin } else { Role::User };
            let user = accounts::add_user(ctx, &name, &password, role, &timezone).await?;
            println!("Added {}.", user.name);
        }
        User::List => {
            let users = accounts::list_users(ctx).await?;
            let row = |user: &crate::domain::user::User| {
                let state = if user.disabled { "disabled" } else { "active" };
                let role = user.role.as_str();
                vec![user.name.to_string(), role.into(), state.into(), user.zone.clone(), user.created_at.to_string()]
            };
            print_table(&["NAME", "ROLE", "STATE", "TIMEZONE", "SINCE"], &users.iter().map(row).collect::<Vec<_>>())?;
        }
        User::Disable { name } => {
            accounts::disable(ctx, &name).await?;
            println!("Disabled {name}.");
        }
        User::Enable { name } => {
            accounts::enable(ctx, &name).await?;
            println!("Enabled {name}.");
        }
        User::Password { name, password_stdin } => {
            let password = password_from_stdin(password_stdin)?;
            accounts::set_password(ctx, &name, &password).await?;
            println!("{name} has a new password; open sessions have ended.");
        }
    }
    Ok(())
}
