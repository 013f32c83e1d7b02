//! Statistics of the audit log for a filter, without its text search: that search takes too long for a page and covers only a part.

use super::{Ctx, Error, audit, require};
use crate::domain::Invalid;
use crate::domain::audit::AuditFilter;
use crate::domain::id::UserId;
use crate::domain::statistics::{Approvals, Bucket, Counts, Figures, Group};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store;

/// Maximum number of buckets.
const BUCKETS: usize = 100;

/// Returns statistics for the intervals between the edges, at most 100.
pub async fn of(ctx: &Ctx, caller: &Caller, filter: &AuditFilter, edges: &[Timestamp]) -> Result<Figures, Error> {
    require(caller, Scope::Audit)?;
    if edges.len() < 2 || edges.len() > BUCKETS + 1 {
        return Err(Invalid::because("This period cannot be shown. Choose another one.").into());
    }
    let owner = audit::owner(&mut ctx.read().await?, caller, filter.user.as_deref()).await?;
    // Two connections halve the wait; their snapshots differ by an imperceptible time.
    let effects = tokio::spawn(effects(ctx.clone(), owner, filter.clone(), edges.to_vec()));
    let piles = store::statistics::turns(&mut ctx.read().await?, owner, filter, edges).await?;
    let (asked, writes) = effects.await.expect("counting does not panic")?;
    let of = |bucket: usize| approvals(asked.iter().filter(|row| usize::try_from(row.0) == Ok(bucket)));
    let mut heaps: Vec<Vec<&Group>> = vec![vec![]; edges.len() - 1];
    for pile in &piles {
        heaps[pile.bucket].push(pile);
    }
    let bucket = |(at, pair): (usize, &[Timestamp])| Bucket {
        from: pair[0].to_string(),
        until: pair[1].to_string(),
        counts: Counts::of(heaps[at].iter().copied()),
        approvals: of(at),
    };
    Ok(Figures {
        whole: Counts::of(piles.iter()),
        approvals: approvals(asked.iter()),
        writes,
        buckets: edges.windows(2).enumerate().map(bucket).collect(),
    })
}

/// Counts approvals by bucket and status, and calls that changed something.
async fn effects(
    ctx: Ctx,
    owner: Option<UserId>,
    filter: AuditFilter,
    edges: Vec<Timestamp>,
) -> Result<(Vec<(i32, String, i64)>, i64), Error> {
    let mut tx = ctx.read().await?;
    let asked = store::statistics::approvals(&mut tx, owner, &filter, &edges).await?;
    Ok((asked, store::statistics::writes(&mut tx, owner, &filter, &edges).await?))
}

fn approvals<'a>(rows: impl Iterator<Item = &'a (i32, String, i64)>) -> Approvals {
    let mut approvals = Approvals::default();
    for (_, status, count) in rows {
        approvals.asked += count;
        match status.as_str() {
            "approved" => approvals.approved += count,
            "rejected" => approvals.denied += count,
            _ => approvals.open += count,
        }
    }
    approvals
}
