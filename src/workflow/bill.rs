//! What a turn's model calls took that came to no reply: of those nobody else keeps count.

use crate::agent::engine::{Piece, Usage};

/// Tokens for nothing, and the call that is under way.
///
/// A call that was given up once its words came, or while they were waited for by somebody who pressed Stop, has been paid for:
/// else a share would last for ever for whoever stops each reply at its last word. One that failed before that has not.
#[derive(Debug, Default)]
pub struct Bill {
    lost: Option<Usage>,
    /// Bytes of the request that is under way.
    asked: Option<usize>,
    /// Bytes of its words so far, also of those that nobody is shown.
    words: usize,
}

impl Bill {
    /// Takes in what is told of a call.
    pub fn hear(&mut self, piece: &Piece) {
        match piece {
            Piece::Asked(bytes) => (self.asked, self.words) = (Some(*bytes), 0),
            Piece::Text(text) => self.words += text.len(),
            Piece::Unseen(bytes) => self.words += bytes,
            Piece::Reset(took) => self.settle(took.or_else(|| self.estimate().filter(|_| self.words > 0))),
        }
    }

    /// The call that was under way, if any, is over; for nothing where it `took` something.
    pub fn settle(&mut self, took: Option<Usage>) {
        (self.asked, self.words) = (None, 0);
        self.lost = self.lost.into_iter().chain(took).reduce(Usage::plus);
    }

    /// Everything for nothing, with the call that nobody waits for any more.
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
        let mut bill = Bill::default();
        pieces.iter().for_each(|piece| bill.hear(piece));
        bill.lost().map(|usage| (usage.tokens_in, usage.tokens_out))
    }

    #[test]
    fn what_was_broken_off_is_paid_for_and_what_never_began_is_not() {
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
        let mut bill = Bill::default();
        bill.hear(&Piece::Asked(400));
        bill.hear(&Piece::Text("Hello.".into()));
        bill.settle(None);
        assert_eq!(bill.lost(), None);
    }
}
