//! An answer as a stream of events, also where it is none: some servers, and what stands before them, answer whole whatever they
//! were asked for. What it is shows in its first sign, since its header may tell anything: no event begins with a brace.

use std::io;

use futures::{Stream, StreamExt as _, stream};

const BOM: &[u8] = "\u{feff}".as_bytes();

/// What has been seen of an answer.
struct Seen<S> {
    body: S,
    /// Whether it is a whole one, once that is known.
    whole: Option<bool>,
    over: bool,
}

/// The body as it is, or as the data of its only event (HTML, Server-sent events).
pub fn of<C: AsRef<[u8]> + Send>(
    body: impl Stream<Item = io::Result<C>> + Send + 'static,
) -> impl Stream<Item = io::Result<Vec<u8>>> + Send + 'static {
    let seen = Seen { body: Box::pin(body.fuse()), whole: None, over: false };
    stream::unfold(seen, |mut seen| async move {
        let next = match seen.body.next().await {
            Some(chunk) => chunk.map(|chunk| seen.take(chunk.as_ref())),
            None if seen.whole == Some(true) && !seen.over => {
                seen.over = true;
                Ok(b"\n\n".to_vec())
            }
            None => return None,
        };
        Some((next, seen))
    })
}

impl<S> Seen<S> {
    fn take(&mut self, chunk: &[u8]) -> Vec<u8> {
        // One may begin with the sign for the order of bytes, which the reader of events does not bear.
        let chunk = chunk.strip_prefix(BOM).filter(|_| self.whole.is_none()).unwrap_or(chunk);
        let first = chunk.iter().find(|byte| !byte.is_ascii_whitespace());
        let begins = self.whole.is_none() && first == Some(&b'{');
        self.whole = self.whole.or(first.map(|first| *first == b'{'));
        if self.whole != Some(true) {
            return chunk.to_vec();
        }
        // There a line break means something, in JSON it does not.
        let on_one_line = chunk.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte });
        // On a line of its own: blanks may have been sent before, so that the connection stays.
        let head: &[u8] = if begins { b"\ndata: " } else { b"" };
        head.iter().copied().chain(on_one_line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn events(body: &str, size: usize) -> String {
        let chunks: Vec<io::Result<Vec<u8>>> = body.as_bytes().chunks(size).map(|chunk| Ok(chunk.to_vec())).collect();
        let all: Vec<_> = of(stream::iter(chunks)).map(|chunk| chunk.unwrap()).collect().await;
        String::from_utf8(all.concat()).unwrap()
    }

    #[tokio::test]
    async fn a_whole_answer_becomes_one_event_and_a_stream_stays_as_it_is() {
        for size in [1, 2, 7, 100] {
            for blank in ["", "\n ", " \t ", "\u{feff}"] {
                let whole = events(&format!("{blank}{{\r\n\"text\": \"é\"\n}}\n"), size.max(blank.len())).await;
                let data = whole.lines().find_map(|line| line.strip_prefix("data:"));
                assert_eq!(data.map(str::trim_start), Some("{  \"text\": \"é\" } "), "{size}: {whole}");
                assert!(whole.ends_with("\n\n") && !whole.starts_with('\u{feff}'), "{whole}");
            }
            for stream in
                [": {on its way}\n\ndata: {}\n\n", "data: {\n", "\n\nevent: x\ndata: {}\n\n", "[1]", "<html>{", ""]
            {
                assert_eq!(events(stream, size).await, stream, "{size}");
            }
        }
    }
}
