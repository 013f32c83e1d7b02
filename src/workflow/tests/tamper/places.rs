//! Changes to a record of a chain by statements: removed, moved, added, or replaced by another chain's.

use super::RECORDS;

/// A change: its name, its statements, and the number of the first broken record.
pub type Way = (String, Vec<String>, i64);

/// Position of a record in a chain.
pub struct Place {
    /// Ids of its owner and of another user, as SQL.
    pub ids: [String; 2],
    pub at: i64,
}

/// Returns a statement for records and for their texts, given table and columns without owner and number.
fn both(statement: impl Fn(&str, &str) -> String) -> Vec<String> {
    vec![statement("records", "kind, at, digest, previous, hash"), statement("bodies", "salt, body")]
}

impl Place {
    pub fn one(&self, seq: i64) -> String {
        format!("user_id = {} AND seq = {seq}", self.ids[0])
    }

    /// True if enough records follow for the change.
    pub fn allows(&self, what: &str) -> bool {
        let last = match what {
            "move a record" => RECORDS - 7,
            "swap two records" | "cut the tail" => RECORDS - 1,
            _ => RECORDS,
        };
        self.at <= last
    }

    fn renumber(&self, from: i64, to: i64) -> Vec<String> {
        both(|table, _| format!("UPDATE {table} SET seq = {to} WHERE {}", self.one(from)))
    }

    /// Moves the records of a range by one, up or down.
    fn shift(&self, from: i64, to: i64, by: i64) -> Vec<String> {
        let own = &self.ids[0];
        // Through negative numbers, because numbers are unique at any time.
        let away = both(|table, _| {
            let range = format!("user_id = {own} AND seq BETWEEN {from} AND {to}");
            format!("UPDATE {table} SET seq = -(seq + {by}) WHERE {range}")
        });
        let back = both(|table, _| format!("UPDATE {table} SET seq = -seq WHERE user_id = {own} AND seq < 0"));
        [away, back].concat()
    }

    pub fn removals(&self) -> Vec<Way> {
        let (at, one) = (self.at, self.one(self.at));
        let tail = both(|table, _| format!("DELETE FROM {table} WHERE user_id = {} AND seq > {at}", self.ids[0]));
        vec![
            ("delete a record".into(), both(|table, _| format!("DELETE FROM {table} WHERE {one}")), at),
            ("delete a text".into(), vec![format!("DELETE FROM bodies WHERE {one}")], at),
            ("cut the tail".into(), tail, at + 1),
        ]
    }

    pub fn moves(&self) -> Vec<Way> {
        let (at, one, [own, other]) = (self.at, self.one(self.at), &self.ids);
        let again = both(|table, columns| {
            let again = format!("SELECT user_id, seq + 1, {columns} FROM {table} WHERE {one}");
            format!("INSERT INTO {table} (user_id, seq, {columns}) {again}")
        });
        let removed = both(|table, _| format!("DELETE FROM {table} WHERE {one}"));
        let anothers = both(|table, columns| {
            let of = format!("SELECT {own}, seq, {columns} FROM {table} WHERE user_id = {other} AND seq = {at}");
            format!("INSERT INTO {table} (user_id, seq, {columns}) {of}")
        });
        let swapped = [self.renumber(at, -1), self.renumber(at + 1, at), self.renumber(-1, at + 1)].concat();
        let moved = [self.renumber(at, 0), self.shift(at + 1, at + 7, -1), self.renumber(0, at + 7)].concat();
        vec![
            ("insert a record".into(), [self.shift(at + 1, RECORDS, 1), again].concat(), at + 1),
            ("swap two records".into(), swapped, at),
            ("move a record".into(), moved, at),
            ("splice from another".into(), [removed, anothers].concat(), at),
        ]
    }
}
