//! Values of parameters and columns: SQLite's five types, and encodings of Rust types as one of them.

use std::borrow::Cow;
use std::fmt;

use rusqlite::types::{Type as Kind, Value};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Arguments, Decode, Encode, IntoArguments, Type, TypeInfo, ValueRef};
use uuid::Uuid;

use super::Sqlite;

/// Type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellType(pub Kind);

impl fmt::Display for CellType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TypeInfo for CellType {
    fn is_null(&self) -> bool {
        self.0 == Kind::Null
    }

    fn name(&self) -> &str {
        match self.0 {
            Kind::Null => "NULL",
            Kind::Integer => "INTEGER",
            Kind::Real => "REAL",
            Kind::Text => "TEXT",
            Kind::Blob => "BLOB",
        }
    }

    /// Decoding reports mismatches itself.
    fn type_compatible(&self, _: &Self) -> bool {
        true
    }
}

/// An owned value.
pub struct Cell(Value);

/// A borrowed value of a row.
pub struct CellRef<'r>(pub &'r Value);

impl sqlx::Value for Cell {
    type Database = Sqlite;

    fn as_ref(&self) -> CellRef<'_> {
        CellRef(&self.0)
    }

    fn type_info(&self) -> Cow<'_, CellType> {
        Cow::Owned(CellType(self.0.data_type()))
    }

    fn is_null(&self) -> bool {
        self.0 == Value::Null
    }
}

impl<'r> ValueRef<'r> for CellRef<'r> {
    type Database = Sqlite;

    fn to_owned(&self) -> Cell {
        Cell(self.0.clone())
    }

    fn type_info(&self) -> Cow<'_, CellType> {
        Cow::Owned(CellType(self.0.data_type()))
    }

    fn is_null(&self) -> bool {
        *self.0 == Value::Null
    }
}

/// Values of a statement's `$1`, `$2` and so on.
#[derive(Debug, Default)]
pub struct Bound(pub Vec<Value>);

impl Arguments for Bound {
    type Database = Sqlite;

    fn reserve(&mut self, additional: usize, _size: usize) {
        self.0.reserve(additional);
    }

    fn add<'t, T>(&mut self, value: T) -> Result<(), BoxDynError>
    where
        T: Encode<'t, Sqlite> + Type<Sqlite>,
    {
        let before = self.0.len();
        match value.encode(&mut self.0) {
            Ok(IsNull::No) => {}
            Ok(IsNull::Yes) => self.0.push(Value::Null),
            Err(error) => {
                self.0.truncate(before);
                return Err(error);
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl IntoArguments<Sqlite> for Bound {
    fn into_arguments(self) -> Self {
        self
    }
}

/// Implements encoding and decoding of a type as one of SQLite's types.
macro_rules! written {
    ($($name:ty as $kind:ident: |$value:ident| $write:expr, |$found:ident| $read:expr;)+) => {$(
        impl Type<Sqlite> for $name {
            fn type_info() -> CellType {
                CellType(Kind::$kind)
            }
        }

        impl Encode<'_, Sqlite> for $name {
            fn encode_by_ref(&self, cells: &mut Vec<Value>) -> Result<IsNull, BoxDynError> {
                let $value = self;
                cells.push(Value::$kind($write));
                Ok(IsNull::No)
            }
        }

        impl<'r> Decode<'r, Sqlite> for $name {
            fn decode(cell: CellRef<'r>) -> Result<Self, BoxDynError> {
                match cell.0 {
                    Value::$kind($found) => $read,
                    other => Err(unfit(other, stringify!($name))),
                }
            }
        }
    )+};
}

written! {
    bool as Integer: |value| i64::from(*value), |found| Ok(*found != 0);
    i32 as Integer: |value| i64::from(*value), |found| Ok(i32::try_from(*found)?);
    i64 as Integer: |value| *value, |found| Ok(*found);
    String as Text: |value| value.clone(), |found| Ok(found.clone());
    Vec<u8> as Blob: |value| value.clone(), |found| Ok(found.clone());
    Uuid as Blob: |value| value.as_bytes().to_vec(), |found| Ok(Uuid::from_slice(found)?);
}

impl Type<Sqlite> for f64 {
    fn type_info() -> CellType {
        CellType(Kind::Real)
    }
}

impl Encode<'_, Sqlite> for f64 {
    fn encode_by_ref(&self, cells: &mut Vec<Value>) -> Result<IsNull, BoxDynError> {
        cells.push(Value::Real(*self));
        Ok(IsNull::No)
    }
}

impl<'r> Decode<'r, Sqlite> for f64 {
    fn decode(cell: CellRef<'r>) -> Result<Self, BoxDynError> {
        match cell.0 {
            Value::Real(found) => Ok(*found),
            // An expression such as `COALESCE(…, 0)` may be an integer.
            Value::Integer(found) => Ok(f64::from(i32::try_from(*found)?)),
            other => Err(unfit(other, "f64")),
        }
    }
}

fn unfit(value: &Value, name: &str) -> BoxDynError {
    format!("{} is not {name}", CellType(value.data_type())).into()
}

impl Type<Sqlite> for str {
    fn type_info() -> CellType {
        CellType(Kind::Text)
    }
}

impl Encode<'_, Sqlite> for &str {
    fn encode_by_ref(&self, cells: &mut Vec<Value>) -> Result<IsNull, BoxDynError> {
        cells.push(Value::Text((*self).to_owned()));
        Ok(IsNull::No)
    }
}

impl<'r> Decode<'r, Sqlite> for &'r str {
    fn decode(cell: CellRef<'r>) -> Result<Self, BoxDynError> {
        match cell.0 {
            Value::Text(text) => Ok(text),
            other => Err(unfit(other, "text")),
        }
    }
}

impl Type<Sqlite> for [u8] {
    fn type_info() -> CellType {
        CellType(Kind::Blob)
    }
}

impl Encode<'_, Sqlite> for &[u8] {
    fn encode_by_ref(&self, cells: &mut Vec<Value>) -> Result<IsNull, BoxDynError> {
        cells.push(Value::Blob(self.to_vec()));
        Ok(IsNull::No)
    }
}

impl<'q, T: Encode<'q, Sqlite> + Type<Sqlite>> Encode<'q, Sqlite> for Option<T> {
    fn encode_by_ref(&self, cells: &mut Vec<Value>) -> Result<IsNull, BoxDynError> {
        match self {
            Some(value) => value.encode_by_ref(cells),
            None => Ok(IsNull::Yes),
        }
    }
}
