//! Normalisation of an answer to a stream of server-sent events. Some servers and proxies answer unstreamed regardless
//! of the request. The first byte decides (`{` means plain JSON), since the Content-Type is unreliable.
//!
//! In a stream, events without data are dropped and an extra event announces the end. The client parses the data of
//! each event as JSON and accepts `[DONE]` only verbatim.

use std::collections::VecDeque;
use std::io;

use futures::{Stream, StreamExt as _, stream};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::nesting::{Nesting, fits};

const BOM: &[u8] = "\u{feff}".as_bytes();

/// Field of the event that announces the end of a stream.
pub const DONE: &str = "docket_done";
const END: &str = "[DONE]";
/// Data that ends the answer with an error, in place of data that is too deep or has too many values.
const UNFIT: &[u8] = b"\ndata: too large\n\n";

/// Approximate size of a piece, in bytes.
const PIECE: usize = 512;

/// State of a partly read answer.
struct Seen<S> {
    body: S,
    kind: Option<Kind>,
    over: bool,
    /// The incomplete last line; of one object all lines.
    line: Vec<u8>,
    /// The data of the current event.
    event: Nesting,
    /// Lines for the client, in pieces.
    ready: VecDeque<Vec<u8>>,
    /// True if the last line was the complete data of an event.
    after_event: bool,
    /// The escaped high surrogate at the end of the previous event's string.
    half: Option<String>,
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stream,
    /// One object.
    Whole,
    /// One object per line (Ollama).
    Objects,
}

/// Returns the body as server-sent events (HTML Standard): unchanged if it is a stream, else as data of events.
pub fn of<C: AsRef<[u8]> + Send>(
    body: impl Stream<Item = io::Result<C>> + Send + 'static,
) -> impl Stream<Item = io::Result<Vec<u8>>> + Send + 'static {
    let body = Box::pin(body.fuse());
    let (line, ready, event) = (vec![], VecDeque::new(), Nesting::default());
    let seen = Seen { body, kind: None, over: false, line, event, ready, after_event: false, half: None };
    stream::unfold(seen, |mut seen| async move {
        loop {
            if let Some(piece) = seen.ready.pop_front() {
                return Some((Ok(piece), seen));
            }
            let lines = match seen.body.next().await {
                Some(Ok(chunk)) => seen.take(chunk.as_ref()),
                Some(Err(error)) => return Some((Err(error), seen)),
                None if !seen.over => {
                    seen.over = true;
                    seen.end()
                }
                None => return None,
            };
            seen.ready = in_pieces(lines);
        }
    })
}

/// Divides lines into pieces of about [`PIECE`] bytes. The client copies the rest of a piece after each line.
fn in_pieces(lines: Vec<u8>) -> VecDeque<Vec<u8>> {
    if lines.len() <= PIECE {
        return [lines].into_iter().filter(|lines| !lines.is_empty()).collect();
    }
    let mut pieces = VecDeque::<Vec<u8>>::new();
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        match pieces.back_mut().filter(|piece| piece.len() + line.len() <= PIECE) {
            Some(piece) => piece.extend_from_slice(line),
            None => pieces.push_back(line.to_vec()),
        }
    }
    pieces
}

impl<S> Seen<S> {
    fn take(&mut self, chunk: &[u8]) -> Vec<u8> {
        // Some answers begin with a byte order mark, which the event parser rejects.
        let chunk = chunk.strip_prefix(BOM).filter(|_| self.kind.is_none()).unwrap_or(chunk);
        let first = chunk.iter().find(|byte| !byte.is_ascii_whitespace());
        if self.kind.is_none() && self.line.is_empty() && first.is_some_and(|first| *first != b'{') {
            self.kind = Some(Kind::Stream);
        }
        let mut lines = vec![];
        for piece in chunk.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            if self.kind == Some(Kind::Whole) {
                // Passed on as one line at its end, since the client reads an incomplete line again with each piece.
                self.line.extend(on_one_line(piece));
                continue;
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                let line = std::mem::take(&mut self.line);
                lines.extend(self.line(line));
            }
        }
        lines
    }

    /// Converts a complete line.
    fn line(&mut self, line: Vec<u8>) -> Vec<u8> {
        if self.kind.is_none() && line.trim_ascii().first() == Some(&b'{') {
            let is_object = serde_json::from_slice::<IgnoredAny>(&line).is_ok();
            self.kind = Some(if is_object { Kind::Objects } else { Kind::Whole });
        }
        match self.kind {
            Some(Kind::Whole) => {
                self.line = on_one_line(&line);
                vec![]
            }
            Some(Kind::Objects) if line.trim_ascii().is_empty() => vec![],
            Some(Kind::Objects) => alone(on_one_line(&line)),
            Some(Kind::Stream) | None => self.event_line(line),
        }
    }

    fn end(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if self.kind == Some(Kind::Whole) {
            return alone(line);
        }
        let rest = if line.is_empty() { vec![] } else { self.line(line) };
        if self.kind == Some(Kind::Whole) { alone(std::mem::take(&mut self.line)) } else { rest }
    }

    /// Normalises a line of an event stream for the client.
    fn event_line(&mut self, line: Vec<u8>) -> Vec<u8> {
        let after_event = std::mem::take(&mut self.after_event);
        let Some(data) = line.strip_prefix(b"data:").or_else(|| (line.trim_ascii() == b"data").then_some(&[])) else {
            if line.trim_ascii().is_empty() {
                self.event = Nesting::default();
            }
            // The client copies the last id to every event.
            return if line.starts_with(b"id") { b":\n".to_vec() } else { line };
        };
        let data = data.trim_ascii();
        if data.is_empty() {
            // The client would emit an event for empty data, but not for a comment.
            return b":\n".to_vec();
        }
        if data.eq_ignore_ascii_case(END.as_bytes()) {
            let end = format!("data: {{\"{DONE}\":true}}\n\ndata: {END}\n").into_bytes();
            return if after_event { [b"\n".to_vec(), end].concat() } else { end };
        }
        let mut line = match std::str::from_utf8(data) {
            // A surrogate pair may be split across two events.
            Ok(text) if text.contains("\\u") || self.half.is_some() => {
                let joined = self.joined(text);
                [b"data: ", joined.as_bytes(), &line[line.trim_ascii_end().len()..]].concat()
            }
            Ok(_) => line,
            Err(_) => String::from_utf8_lossy(&line).into_owned().into_bytes(),
        };
        let data = line.strip_prefix(b"data:").unwrap_or_default();
        if after_event {
            self.event = Nesting::default();
        }
        self.event.take(data);
        if !self.event.fits() {
            return UNFIT.to_vec();
        }
        self.after_event = serde_json::from_slice::<IgnoredAny>(data).is_ok();
        if after_event {
            // Some servers separate events by a single line break.
            line.insert(0, b'\n');
        }
        line
    }

    /// Returns the JSON without unpaired surrogates. A trailing high surrogate is held back for the next event.
    fn joined(&mut self, json: &str) -> String {
        let mut whole = String::with_capacity(json.len());
        let mut rest = json;
        while let Some(at) = rest.find('\\') {
            whole += &rest[..at];
            rest = &rest[at..];
            let Some(unit) = unit(rest) else {
                let end = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
                whole += &rest[..end];
                rest = &rest[end..];
                continue;
            };
            let (escaped, behind) = rest.split_at(6);
            rest = behind;
            match unit {
                0xD800..=0xDBFF => match self::unit(rest) {
                    Some(0xDC00..=0xDFFF) => {
                        whole += escaped;
                        whole += &rest[..6];
                        rest = &rest[6..];
                    }
                    _ => self.half = Some(escaped.to_owned()),
                },
                0xDC00..=0xDFFF => match self.half.take() {
                    Some(first) => whole += &format!("{first}{escaped}"),
                    None => whole += "\u{fffd}",
                },
                _ => whole += escaped,
            }
        }
        whole + rest
    }
}

/// Returns the UTF-16 code unit of the JSON escape that begins `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Returns an event of one object.
fn alone(object: Vec<u8>) -> Vec<u8> {
    if fits(&object) { [b"\ndata: ", &object[..], b"\n\n"].concat() } else { UNFIT.to_vec() }
}

/// Replaces line breaks, which are significant in an event stream, by blanks.
fn on_one_line(part: &[u8]) -> Vec<u8> {
    part.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte }).collect()
}

/// Converts a chunk in Ollama's native form; `None` for any other.
pub fn of_ollama(chunk: &Value) -> Option<Value> {
    if chunk.get("choices").is_some() || !chunk["message"].is_object() || !chunk["done"].is_boolean() {
        return None;
    }
    let reason = if chunk["done_reason"] == "length" { "length" } else { "stop" };
    let finish = if chunk["done"] == true { json!(reason) } else { Value::Null };
    let mut choice = json!({ "delta": chunk["message"], "finish_reason": finish });
    if let (Some(sent), Some(said)) = (chunk["prompt_eval_count"].as_i64(), chunk["eval_count"].as_i64()) {
        choice["usage"] = json!({ "prompt_tokens": sent, "completion_tokens": said });
    }
    Some(choice)
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
    async fn json_body_becomes_one_event_and_a_stream_is_unchanged() {
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

    #[tokio::test]
    async fn long_chunk_is_passed_on_in_pieces() {
        let lines = "\n".repeat(5_000) + &"data: {}\n\n".repeat(1_000) + &"x".repeat(3_000);
        let chunk: Vec<io::Result<Vec<u8>>> = vec![Ok(lines.clone().into_bytes())];
        let pieces: Vec<Vec<u8>> = of(stream::iter(chunk)).map(|piece| piece.unwrap()).collect().await;
        let (last, pieces) = pieces.split_last().unwrap();
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE) && last.len() == 3_000);
        assert_eq!(pieces.concat().len() + last.len(), lines.len());
    }

    #[tokio::test]
    async fn events_with_missing_blank_lines_or_split_surrogates_are_parsed() {
        let fire = r"\ud83d\udd25";
        for size in [1, 2, 7, 100] {
            for (body, expected) in [
                (
                    "data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n",
                    vec!["{\"a\":1}", "{\"b\":2}", "{\"docket_done\":true}", "[DONE]"],
                ),
                ("data: {\"a\":\ndata: 1}\n\n", vec!["{\"a\":", "1}"]),
                ("{\"a\":1}\n{\"b\":2}\n", vec!["{\"a\":1}", "{\"b\":2}"]),
                (&format!("data: {{\"a\":\"{fire}\"}}\n\n"), vec![&format!("{{\"a\":\"{fire}\"}}")]),
                (
                    r#"data: {"a":"\ud83d"}
data: {"a":"\udd25"}
"#,
                    vec![r#"{"a":""}"#, &format!("{{\"a\":\"{fire}\"}}")],
                ),
                (r#"data: {"a":"\\ud83d"}"#, vec![r#"{"a":"\\ud83d"}"#]),
            ] {
                let stream = events(body, size).await;
                let data: Vec<&str> =
                    stream.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::trim).collect();
                assert_eq!(data, expected, "{size}");
                let parted = stream.split("\n\n").filter(|event| event.contains("data:")).count();
                assert_eq!(parted, if body.contains("1}\n\n") { 1 } else { expected.len() }, "{stream:?}");
            }
        }
        let broken: Vec<io::Result<&[u8]>> = vec![Ok(b"data: {\"a\":\"x\xff\"}\n\n")];
        let all: Vec<_> = of(stream::iter(broken)).map(|chunk| chunk.unwrap()).collect().await;
        assert_eq!(String::from_utf8(all.concat()).unwrap(), "data: {\"a\":\"x\u{fffd}\"}\n\n");
    }

    #[tokio::test]
    async fn stream_end_is_announced_and_empty_events_are_dropped() {
        for size in [1, 2, 7, 100] {
            for end in
                ["data: [DONE]\n\n", "data:[DONE]\n\n", "data: [DONE] \n\n", "data:  [done]\t\r\n\r\n", "data: [DONE]"]
            {
                let stream = events(&format!("data: {{}}\n\n{end}"), size).await;
                let data: Vec<&str> = stream.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                assert_eq!(data, ["{}", "{\"docket_done\":true}", "[DONE]"], "{end:?}");
            }
            for empty in ["data:\n\n", "data: \n\n", "data\n\n", "event: ping\ndata:\n\n", "data:   \r\n\r\n"] {
                let stream = events(&format!("{empty}data: {{}}\n\n"), size).await;
                assert_eq!(stream.lines().filter(|line| line.starts_with("data")).count(), 1, "{empty:?}");
            }
        }
    }
}
