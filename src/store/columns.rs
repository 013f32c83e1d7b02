//! Encodings of domain values in each database. An id is a native UUID. An instant is TIMESTAMPTZ in PostgreSQL and the
//! fixed-width text of [`Timestamp`] in SQLite, which sorts correctly.

use jiff_sqlx::ToSqlx as _;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Database, Decode, Encode, Postgres, Type};
use uuid::Uuid;

use super::sqlite::Sqlite;
use crate::domain::channel::ChatId;
use crate::domain::id::{
    ApprovalId, CardId, ChangeId, ConversationId, ImportId, MemoryId, MessageId, NoticeId, RelinkId, SessionId,
    TaskNumber, TokenId, TurnId, UserId,
};
use crate::domain::time::{CivilDate, Timestamp};

/// Stores a newtype as its inner type.
macro_rules! transparent {
    ($($name:ident($inner:ty)),+ $(,)?) => {$(
        impl<DB: Database> Type<DB> for $name where $inner: Type<DB> {
            fn type_info() -> DB::TypeInfo {
                <$inner as Type<DB>>::type_info()
            }

            fn compatible(info: &DB::TypeInfo) -> bool {
                <$inner as Type<DB>>::compatible(info)
            }
        }

        impl<'q, DB: Database> Encode<'q, DB> for $name where $inner: Encode<'q, DB> {
            fn encode_by_ref(&self, buffer: &mut DB::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
                self.0.encode_by_ref(buffer)
            }
        }

        impl<'r, DB: Database> Decode<'r, DB> for $name where $inner: Decode<'r, DB> {
            fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
                <$inner as Decode<'r, DB>>::decode(value).map(Self)
            }
        }
    )+};
}

transparent!(
    UserId(Uuid),
    TokenId(Uuid),
    SessionId(Uuid),
    ConversationId(Uuid),
    MessageId(Uuid),
    MemoryId(Uuid),
    TurnId(Uuid),
    ApprovalId(Uuid),
    ChangeId(Uuid),
    CardId(Uuid),
    ChatId(i64),
    ImportId(Uuid),
    NoticeId(Uuid),
    RelinkId(Uuid),
    TaskNumber(i64),
);

/// Stores a calendar value as text in SQLite and natively in PostgreSQL.
macro_rules! calendar {
    ($name:ident as $native:ty) => {
        impl Type<Sqlite> for $name {
            fn type_info() -> <Sqlite as Database>::TypeInfo {
                <str as Type<Sqlite>>::type_info()
            }
        }

        impl<'q> Encode<'q, Sqlite> for $name {
            fn encode_by_ref(&self, buffer: &mut <Sqlite as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
                Encode::<Sqlite>::encode(self.as_str().to_owned(), buffer)
            }
        }

        impl<'r> Decode<'r, Sqlite> for $name {
            fn decode(value: <Sqlite as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
                let text = <&str as Decode<Sqlite>>::decode(value)?;
                // Reject other spellings of a time, which SQLite would sort wrongly as text.
                Self::parse(text)
                    .ok()
                    .filter(|read| read.as_str() == text)
                    .ok_or_else(|| "not as Docket writes it".into())
            }
        }

        impl Type<Postgres> for $name {
            fn type_info() -> <Postgres as Database>::TypeInfo {
                <$native as Type<Postgres>>::type_info()
            }
        }

        impl<'q> Encode<'q, Postgres> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut <Postgres as Database>::ArgumentBuffer,
            ) -> Result<IsNull, BoxDynError> {
                Encode::<Postgres>::encode(self.to_jiff().to_sqlx(), buffer)
            }
        }

        impl<'r> Decode<'r, Postgres> for $name {
            fn decode(value: <Postgres as Database>::ValueRef<'r>) -> Result<Self, BoxDynError> {
                Ok(<$native as Decode<Postgres>>::decode(value)?.to_jiff().into())
            }
        }
    };
}

calendar!(Timestamp as jiff_sqlx::Timestamp);
calendar!(CivilDate as jiff_sqlx::Date);

/// A type that can be bound to a query builder for either database.
pub(super) trait Bind<DB: Database>: for<'q> Encode<'q, DB> + Type<DB> {}
impl<DB: Database, T: for<'q> Encode<'q, DB> + Type<DB>> Bind<DB> for T {}
