//! Verification of the audit log: recomputes every chain and compares every audited row with its record. Reads page by page in one
//! snapshot.

use super::owner;
use crate::domain::audit::{Broken, CheckpointSeen, Verification};
use crate::domain::id::UserId;
use crate::domain::user::{Caller, Scope, UserName};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, require};

mod accounts;
mod amend;
mod bundle;
mod chain;
mod checkpoints;
mod choices;
mod derived;
mod findings;
mod rows;
mod succession;
mod tasks;

use accounts::Accounts;
pub use amend::{amend, amend_within};
pub use bundle::verify_bundle;
use chain::Chain;
pub use checkpoints::Outside;
use choices::Choices;
use findings::Findings;

/// Records per query.
const PAGE: i64 = 500;

/// Verifies the caller's audit log. An admin may name any user, or none for everyone.
pub async fn verify(ctx: &Ctx, caller: &Caller, user: Option<&str>) -> Result<Verification, Error> {
    require(caller, Scope::Audit)?;
    let owner = owner(&mut ctx.peek().await?, caller, user).await?;
    verified(ctx, owner).await
}

/// Returns the newest checkpoint; only its signature is checked.
pub async fn newest(ctx: &Ctx, caller: &Caller) -> Result<Option<CheckpointSeen>, Error> {
    require(caller, Scope::Audit)?;
    checkpoints::newest(ctx).await
}

/// Verifies the audit log of the named user, or everyone's. For the command line.
pub async fn verify_all(ctx: &Ctx, user: Option<&str>) -> Result<Verification, Error> {
    let owner = match user {
        None => None,
        Some(name) => {
            let found = store::users::by_name(&mut ctx.peek().await?, &UserName::parse(name)?).await?;
            let (user, _) =
                found.ok_or_else(|| Error::NotFound(format!("There is no user called {}.", name.trim())))?;
            Some(user.user_id)
        }
    };
    verified(ctx, owner).await
}

async fn verified(ctx: &Ctx, owner: Option<UserId>) -> Result<Verification, Error> {
    let outside = Outside::of(ctx)?;
    let mut tx = ctx.read().await?;
    let mut report = verify_within(ctx, &mut tx, &outside, owner).await?;
    // Invariants prove nothing more once a record is broken.
    if !report.broken.is_empty() {
        return Ok(report);
    }
    // Checked for the whole database: an error that deceives a query for one user deceives the others too.
    let sentences = store::invariants::broken(&mut tx).await?;
    report
        .broken
        .extend(sentences.iter().map(|sentence| Broken::of_all(format!("a consistency check failed: “{sentence}”"))));
    drop(tx);
    // An index that does not fit its table, or a foreign trigger, would deceive the queries above.
    report.broken.extend(ctx.store.unsound().await?.map(Broken::of_all));
    if !report.broken.is_empty() {
        report.verified_through = None;
    }
    Ok(report)
}

/// Verifies one user's or everyone's records within a transaction, against the files outside the database.
pub async fn verify_within(
    ctx: &Ctx,
    tx: &mut Tx,
    outside: &Outside,
    owner: Option<UserId>,
) -> Result<Verification, Error> {
    let at = ctx.now();
    let mut found = Findings::default();
    if let Some((table, column)) = store::audited_columns::malformed_ids(tx).await?.first() {
        // Its owner is unknown, and no other query can read it.
        found.chains = 1;
        found.broken(UserId::SYSTEM, 0, "", format!("a row in {table} has an invalid {column}."));
    } else {
        compare(tx, owner, &mut found).await?;
    }
    // Settings for everyone are recorded across all admins' chains; a broken chain may lack their record.
    let everyones = std::mem::take(&mut found.everyones);
    if owner.is_none() && found.is_whole() {
        everyones.compare(tx, &mut found).await?;
    }
    let checkpoint = checkpoints::check(tx, outside, owner, &mut found).await?;
    let broken = found.named(tx).await?;
    Ok(Verification {
        records: found.records,
        erased: found.erased,
        amended: found.amended,
        users: found.chains,
        verified_through: broken.is_empty().then_some(at),
        unsigned: outside.unsigned(checkpoint.as_ref()),
        checkpoint,
        broken,
    })
}

/// Reads the chains and compares all audited rows with them.
async fn compare(tx: &mut Tx, owner: Option<UserId>, found: &mut Findings) -> Result<(), Error> {
    let owners = match owner {
        Some(user) => vec![user],
        None => store::chains::owners(tx).await?,
    };
    for user in owners {
        chain(tx, user, found).await?;
    }
    rows::compare(tx, owner, found).await
}

/// Verifies one user's chain from its first link to its head, with the account, tokens and choices that it records.
async fn chain(tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<(), Error> {
    let (mut chain, mut accounts, mut choices) = (Chain::new(user), Accounts::default(), Choices::default());
    loop {
        let links = store::chains::links(tx, user, chain.seen(), PAGE).await?;
        if links.is_empty() {
            break;
        }
        for link in &links {
            if let Some(body) = chain.take(link, found) {
                accounts.take(link, &body, found);
                choices.take(link, &body, found);
                found.expect_later(link, &body);
                tasks::standing(tx, link, body, found).await?;
            }
        }
        tokio::task::yield_now().await;
    }
    let head = store::chains::head(tx, user).await?;
    chain.end(head.as_ref(), found);
    if let Some(seq) = store::chains::below_first(tx, user).await? {
        found.broken(user, seq, "", "its number is below 1.");
    }
    if let Some(seq) = store::chains::stray(tx, user).await? {
        found.broken(user, seq, "", "its text exists, but the record is missing.");
    }
    // With a record missing, the account would differ from the remaining ones.
    if found.is_broken(user) {
        return Ok(());
    }
    accounts.compare(tx, user, found).await?;
    // Records of the system user have no choices to compare.
    if user == UserId::SYSTEM { Ok(()) } else { choices.compare(tx, user, found).await }
}
