//! Whether the record is as it was written: every chain is computed again, and every row that a record vouches for is
//! compared with what the record says. Read page by page, in one snapshot.

use super::owner;
use crate::domain::audit::{Broken, CheckpointSeen, Verification};
use crate::domain::id::UserId;
use crate::domain::user::{Caller, Scope, UserName};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, require};

/// Accounts and tokens as their records tell them.
mod accounts;
/// What erasures by older versions left out, amended.
mod amend;
/// A bundle, without the database.
mod bundle;
/// One chain, link by link.
mod chain;
/// What was signed.
mod checkpoints;
/// Policies, memory and chats as their records tell them.
mod choices;
/// What follows from other rows.
mod derived;
/// What was found broken.
mod findings;
/// The rows that records vouch for.
mod rows;
/// Tasks as their last changes left them.
mod tasks;

use accounts::Accounts;
pub use amend::{amend, amend_within};
pub use bundle::verify_bundle;
use chain::Chain;
pub use checkpoints::Outside;
use choices::Choices;
use findings::Findings;

/// Records read at once.
const PAGE: i64 = 500;

/// Verifies the caller's record, or for an admin anyone's or, without a name, everyone's.
pub async fn verify(ctx: &Ctx, caller: &Caller, user: Option<&str>) -> Result<Verification, Error> {
    require(caller, Scope::Audit)?;
    let owner = owner(&mut ctx.peek().await?, caller, user).await?;
    verified(ctx, owner).await
}

/// The newest checkpoint, with its signature checked and nothing else.
pub async fn newest(ctx: &Ctx, caller: &Caller) -> Result<Option<CheckpointSeen>, Error> {
    require(caller, Scope::Audit)?;
    checkpoints::newest(ctx).await
}

/// Verifies the record of the user of that name, or everyone's: for the command line.
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
    // A broken record may break invariants of all rows as well, which tell nothing more then.
    if !report.broken.is_empty() {
        return Ok(report);
    }
    // They concern the whole database: a query that is deceived deceives one user as it does everyone.
    let sentences = store::soundness::broken(&mut tx).await?;
    report.broken.extend(sentences.iter().map(|sentence| Broken::of_all(format!("this does not hold: “{sentence}”"))));
    drop(tx);
    // An index that does not fit its table, or a trigger of somebody else's, would deceive every query above.
    report.broken.extend(ctx.store.unsound().await?.map(Broken::of_all));
    if !report.broken.is_empty() {
        report.verified_through = None;
    }
    Ok(report)
}

/// Verifies what a transaction sees of one user's record, or of everyone's, against what lies outside the database.
pub async fn verify_within(
    ctx: &Ctx,
    tx: &mut Tx,
    outside: &Outside,
    owner: Option<UserId>,
) -> Result<Verification, Error> {
    let at = ctx.now();
    let mut found = Findings::default();
    if let Some((table, column)) = store::vouched::malformed_ids(tx).await?.first() {
        // Its owner is unknown, and no other query could read it.
        found.chains = 1;
        found.broken(UserId::SYSTEM, 0, "", format!("a row in {table} has a {column} that is no id."));
    } else {
        compare(tx, owner, &mut found).await?;
    }
    // What holds for everyone is told by admins' chains together; a broken one may lack the record that tells it.
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

/// Reads the chains, and compares all rows with them.
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

/// One user's chain from its first link to its head, with the account, the tokens and the choices that it tells of.
async fn chain(tx: &mut Tx, user: UserId, found: &mut Findings) -> Result<(), Error> {
    let (mut chain, mut accounts, mut choices) = (Chain::new(user), Accounts::default(), Choices::default());
    loop {
        let links = store::chains::links(tx, user, chain.seen(), PAGE).await?;
        for link in &links {
            if let Some(body) = chain.take(link, found) {
                accounts.take(link, &body);
                choices.take(link, &body, &mut found.everyones);
                found.expect_later(link, &body);
                tasks::standing(tx, link, body, found).await?;
            }
        }
        if i64::try_from(links.len()).is_ok_and(|count| count < PAGE) {
            break;
        }
        tokio::task::yield_now().await;
    }
    let head = store::chains::head(tx, user).await?;
    chain.end(head.as_ref(), found);
    if let Some(seq) = store::chains::below_first(tx, user).await? {
        found.broken(user, seq, "", "records are numbered from 1.");
    }
    if let Some(seq) = store::chains::stray(tx, user).await? {
        found.broken(user, seq, "", "its text is there, but the record itself is missing.");
    }
    // A missing record tells nothing of the account, which is then not as the others tell it.
    if found.is_broken(user) {
        return Ok(());
    }
    accounts.compare(tx, user, found).await?;
    // What belongs to nobody holds for everyone.
    if user == UserId::SYSTEM { Ok(()) } else { choices.compare(tx, user, found).await }
}
