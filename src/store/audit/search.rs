//! Words looked for in what was said and answered, turn by turn, newest first. Texts are compared here, since the databases fold
//! case differently, and where they lie: an index of words would be one more place to write at every turn and to erase from.

use serde::Deserialize;
use sqlx::{Database, FromRow, QueryBuilder};

use super::{Place, Wanted};
use crate::domain::audit::AuditFilter;
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::store::columns::Bind;
use crate::store::{Conn, Error, Tx, messages};

/// Turns that are read at once; few in tests, which see several reads so.
const BATCH: usize = if cfg!(test) { 4 } else { 500 };

/// The words that message and reply together have to contain, in small letters.
pub(super) struct Words(Vec<String>);

impl Words {
    /// Those of the filter; `None` where it names none.
    pub fn of(filter: &AuditFilter) -> Option<Self> {
        let words = filter.text.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase);
        Some(Self(words.collect())).filter(|words| !words.0.is_empty())
    }

    fn are_in(&self, message: &str, reply: &str) -> bool {
        let said = format!("{message}\n{reply}").to_lowercase();
        self.0.iter().all(|word| said.contains(word.as_str()))
    }
}

/// What was found, newest first, and where the look ended before it had found enough or come to the record's end.
pub(super) struct Seen {
    pub turns: Vec<TurnId>,
    pub until: Option<Place>,
}

/// Looks through the wanted turns, at most `far` of them, for as many as are wanted.
pub(super) async fn look(tx: &mut Tx, wanted: Wanted<'_>, words: &Words, far: usize) -> Result<Seen, Error> {
    let (mut turns, mut before, mut looked) = (vec![], wanted.before.cloned(), 0);
    loop {
        let batch = Wanted { before: before.as_ref(), limit: BATCH.min(far - looked), ..wanted };
        let rows: Vec<Said> = match &mut tx.conn {
            Conn::Sqlite(conn) => batch.texts().build_query_as().fetch_all(&mut **conn).await?,
            Conn::Pg(conn) => batch.texts().build_query_as().fetch_all(&mut **conn).await?,
        };
        let last = rows.len() < batch.limit;
        looked += rows.len();
        for row in rows {
            if row.says(words)? {
                turns.push(row.turn_id);
            }
            if turns.len() == wanted.limit {
                return Ok(Seen { turns, until: None });
            }
            before = Some(Place { at: row.at, turn: row.turn_id });
        }
        if last || looked >= far {
            return Ok(Seen { turns, until: before.filter(|_| !last) });
        }
    }
}

impl Wanted<'_> {
    /// Of the page no more than words are looked for in.
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
        // Each decision is read where the index has led to, and not looked up once more by its turn.
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

/// What is said in a turn.
#[derive(FromRow)]
struct Said {
    at: Timestamp,
    turn_id: TurnId,
    /// The body of its decision; `None` once it is erased.
    texts: Option<String>,
    /// The body of the person's message, if one set it off and is not erased.
    message: Option<String>,
}

/// What is read of a decision's body here.
#[derive(Deserialize)]
struct Answer {
    reply: String,
}

impl Said {
    fn says(&self, words: &Words) -> Result<bool, Error> {
        let reply = self.texts.as_deref().map(serde_json::from_str::<Answer>).transpose();
        let reply = reply.map_err(|_| Error::Corrupt("a decision with a bad body".into()))?;
        let message = self.message.as_deref().map(messages::text).transpose()?;
        Ok(words
            .are_in(message.as_deref().unwrap_or_default(), reply.as_ref().map_or("", |answer| answer.reply.as_str())))
    }
}
