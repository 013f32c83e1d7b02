//! Text search in messages and replies, turn by turn, newest first. Compares texts in Rust, since the databases fold case
//! differently. There is no full-text index, which every turn and erasure would have to update.

use serde::Deserialize;
use sqlx::{Database, FromRow, QueryBuilder};

use super::{Place, Wanted};
use crate::domain::audit::AuditFilter;
use crate::domain::comparison::folded;
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::store::columns::Bind;
use crate::store::{Conn, Error, Tx, messages};

/// Turns per query; small in tests, to cover several queries.
const BATCH: usize = if cfg!(test) { 4 } else { 50 };
/// Maximum bytes of text per search, since long turns take time to compare; small in tests.
const MOST_BYTES: usize = if cfg!(test) { 20_000 } else { 750_000 };

/// Words that message and reply together must contain, ignoring case and accents.
pub(super) struct Words(Vec<String>);

impl Words {
    /// Returns the words of the filter; `None` without any.
    pub fn of(filter: &AuditFilter) -> Option<Self> {
        let words = filter.text.iter().flat_map(|text| text.split_whitespace()).map(folded);
        Some(Self(words.collect())).filter(|words| !words.0.is_empty())
    }

    fn are_in(&self, message: &str, reply: &str) -> bool {
        let said = folded(&format!("{message}\n{reply}"));
        self.0.iter().all(|word| said.contains(word.as_str()))
    }
}

/// Matching turns, newest first, and a cursor if the search stopped early.
pub(super) struct Seen {
    pub turns: Vec<TurnId>,
    pub until: Option<Place>,
}

/// Searches up to `far` turns and [`MOST_BYTES`] of text until the page is full.
pub(super) async fn look(tx: &mut Tx, wanted: Wanted<'_>, words: &Words, far: usize) -> Result<Seen, Error> {
    let (mut turns, mut before, mut looked, mut bytes) = (vec![], wanted.before.cloned(), 0, 0);
    loop {
        let batch = Wanted { before: before.as_ref(), limit: BATCH.min(far - looked), ..wanted };
        let rows: Vec<Said> = match &mut tx.conn {
            Conn::Sqlite(conn) => batch.texts().build_query_as().fetch_all(&mut **conn).await?,
            Conn::Pg(conn) => batch.texts().build_query_as().fetch_all(&mut **conn).await?,
        };
        let last = rows.len() < batch.limit;
        looked += rows.len();
        let mut rows = rows.into_iter().peekable();
        while let Some(row) = rows.next() {
            if row.says(words)? {
                turns.push(row.turn_id);
            }
            if turns.len() == wanted.limit {
                return Ok(Seen { turns, until: None });
            }
            bytes += row.bytes();
            before = Some(Place { at: row.at, turn: row.turn_id });
            let is_over = last && rows.peek().is_none();
            if bytes >= MOST_BYTES && !is_over {
                return Ok(Seen { turns, until: before });
            }
        }
        if last || looked >= far {
            return Ok(Seen { turns, until: before.filter(|_| !last) });
        }
    }
}

impl Wanted<'_> {
    /// Selects only the columns for the search.
    fn texts<DB>(self) -> QueryBuilder<DB>
    where
        DB: Database<Arguments: Default>,
        UserId: Bind<DB>,
        TurnId: Bind<DB>,
        ConversationId: Bind<DB>,
        Timestamp: Bind<DB>,
        String: Bind<DB>,
        i64: Bind<DB>,
    {
        // Reading the decision's columns from the page saves a second lookup by turn.
        let mut query = self.page("d.at, d.turn_id, d.user_id, d.record_seq");
        query.push(
            "SELECT p.at, p.turn_id, b.body AS texts, mb.body AS message FROM page p
                LEFT JOIN bodies b ON b.user_id = p.user_id AND b.seq = p.record_seq
                LEFT JOIN messages m ON m.turn_id = p.turn_id AND m.speaker = 'user'
                LEFT JOIN bodies mb ON mb.user_id = m.user_id AND mb.seq = m.record_seq
                ORDER BY p.at DESC, p.turn_id DESC",
        );
        query
    }
}

/// Texts of a turn.
#[derive(FromRow)]
struct Said {
    at: Timestamp,
    turn_id: TurnId,
    /// Body of the decision; `None` if erased.
    texts: Option<String>,
    /// Body of the person's message; `None` for other triggers or if erased.
    message: Option<String>,
}

/// The searched part of a decision's body.
#[derive(Deserialize)]
struct Answer {
    reply: String,
}

impl Said {
    fn bytes(&self) -> usize {
        [&self.texts, &self.message].into_iter().flatten().map(String::len).sum()
    }

    fn says(&self, words: &Words) -> Result<bool, Error> {
        let reply = self.texts.as_deref().map(serde_json::from_str::<Answer>).transpose();
        let reply = reply.map_err(|_| Error::Corrupt("a decision with a bad body".into()))?;
        let message = self.message.as_deref().map(messages::text).transpose()?;
        Ok(words
            .are_in(message.as_deref().unwrap_or_default(), reply.as_ref().map_or("", |answer| answer.reply.as_str())))
    }
}
