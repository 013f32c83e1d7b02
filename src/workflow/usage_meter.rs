//! Token usage of a turn's model calls that produced no reply; replies contain their own.

use crate::agent::engine::{Piece, Usage};

/// Wasted tokens and the running call.
///
/// A call counts if it was given up after its first text, or stopped by the user while it ran. Otherwise a user could avoid the daily quota
/// by stopping each reply at its end. A call that failed before any text does not count.
#[derive(Debug, Default)]
pub struct UsageMeter {
    lost: Option<Usage>,
    /// Size of the running request, in bytes.
    asked: Option<usize>,
    /// Size of its streamed text so far, including text that is not shown, in bytes.
    words: usize,
}

impl UsageMeter {
    pub fn record(&mut self, piece: &Piece) {
        match piece {
            Piece::Asked(bytes) => (self.asked, self.words) = (Some(*bytes), 0),
            Piece::Text(text) => self.words += text.len(),
            Piece::Unseen(bytes) => self.words += bytes,
            Piece::Reset(took) => self.finish(took.or_else(|| self.estimate().filter(|_| self.words > 0))),
        }
    }

    /// Ends the running call; `took` is its usage if it was wasted.
    pub fn finish(&mut self, took: Option<Usage>) {
        (self.asked, self.words) = (None, 0);
        self.lost = self.lost.into_iter().chain(took).reduce(Usage::plus);
    }

    /// Returns all wasted usage, including the running call's.
    pub fn lost(&self) -> Option<Usage> {
        self.lost.into_iter().chain(self.estimate()).reduce(Usage::plus)
    }

    fn estimate(&self) -> Option<Usage> {
        self.asked.map(|asked| Usage::estimated(asked, self.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(pieces: &[Piece]) -> Option<(i64, i64)> {
        let mut bill = UsageMeter::default();
        pieces.iter().for_each(|piece| bill.record(piece));
        bill.lost().map(|usage| (usage.tokens_in, usage.tokens_out))
    }

    #[test]
    fn usage_counts_aborted_model_calls_but_none_that_never_started() {
        let (asked, words) = (Piece::Asked(400), Piece::Text("eight by".into()));
        let empty = Some(Usage { tokens_in: 7, tokens_out: 3, estimated: false });
        for (pieces, expected) in [
            (vec![], None),
            (vec![asked.clone(), Piece::Reset(None)], None),
            (vec![asked.clone(), words.clone(), Piece::Reset(None)], Some((100, 2))),
            (vec![asked.clone(), words.clone(), words.clone()], Some((100, 4))),
            (vec![asked.clone()], Some((100, 0))),
            (vec![asked.clone(), Piece::Unseen(40), Piece::Reset(None)], Some((100, 10))),
            (vec![asked.clone(), words.clone(), Piece::Reset(None), asked.clone(), words.clone()], Some((200, 4))),
            (vec![asked.clone(), Piece::Reset(empty), asked.clone(), Piece::Reset(empty)], Some((14, 6))),
            (vec![Piece::Reset(None)], None),
        ] {
            assert_eq!(lost(&pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_reply_that_came_is_not_paid_for_twice() {
        let mut bill = UsageMeter::default();
        bill.record(&Piece::Asked(400));
        bill.record(&Piece::Text("Hello.".into()));
        bill.finish(None);
        assert_eq!(bill.lost(), None);
    }
}
