//! JSON-RPC lines over standard input and output. rmcp silently ignores a line that is not JSON; here it gets a parse error
//! (JSON-RPC 2.0, 5.1), and reading continues.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use super::agent::NO_VERSION;
use super::{INVALID_REQUEST, PARSE_ERROR};

/// JSON-RPC: invalid method parameters.
const INVALID_PARAMS: i32 = -32_602;

/// Maximum length of a line, in bytes.
const LONGEST: usize = 1 << 20;
/// Size of the buffers between the server and its client, in bytes.
const WAITING: usize = 64 * 1024;
/// Maximum number of queued error responses.
const REFUSALS: usize = 8;
const BOM: &[u8] = "\u{feff}".as_bytes();

/// The server's ends of standard input and output, and the tasks that copy bytes to and from them.
pub struct Lines {
    pub input: DuplexStream,
    pub output: DuplexStream,
    reading: JoinHandle<()>,
    writing: JoinHandle<()>,
}

impl Lines {
    pub fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (to_server, server_input) = tokio::io::duplex(WAITING);
        let (server_output, from_server) = tokio::io::duplex(WAITING);
        let (refusals, refused) = mpsc::channel(REFUSALS);
        let reading = tokio::spawn(read(BufReader::new(input), to_server, refusals));
        let writing = tokio::spawn(write(from_server, refused, output));
        Self { input: server_input, output: server_output, reading, writing }
    }

    /// Splits into the server's ends, and the tasks to await once the server has ended.
    pub fn split(self) -> ((DuplexStream, DuplexStream), Ending) {
        ((self.input, self.output), Ending { reading: self.reading, writing: self.writing })
    }
}

/// The tasks that read and write.
pub struct Ending {
    reading: JoinHandle<()>,
    writing: JoinHandle<()>,
}

impl Ending {
    /// Waits until everything is written.
    pub async fn flushed(self) {
        self.reading.abort();
        // An error means that the client has stopped reading.
        self.writing.await.ok();
    }
}

/// Forwards lines of JSON until the input ends or the server stops reading.
async fn read(mut input: BufReader<impl AsyncRead + Unpin>, mut server: DuplexStream, refusals: Sender<Vec<u8>>) {
    let mut line = vec![];
    loop {
        let whole = match next(&mut input, &mut line).await {
            Ok(Some(whole)) => whole,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "standard input cannot be read");
                return;
            }
        };
        let refusal = match whole {
            true if is_json(&line) => unversioned(&line),
            true => Some(refusal(PARSE_ERROR, "The line is not JSON.")),
            false => Some(refusal(INVALID_REQUEST, &format!("The line is too long; the limit is {LONGEST} bytes."))),
        };
        let passed = match refusal {
            None => server.write_all(&line).await.is_ok(),
            Some(refusal) => refusals.send(refusal).await.is_ok(),
        };
        if !passed {
            return;
        }
    }
}

/// Reads a line with its end into `line`; false if it was too long and skipped. `None` at the end of the input: half a line is no
/// message.
async fn next(input: &mut BufReader<impl AsyncRead + Unpin>, line: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
    line.clear();
    let mut whole = true;
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let taken = end.unwrap_or(available.len());
        whole &= line.len() + taken <= LONGEST;
        if whole {
            line.extend_from_slice(&available[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

/// Returns true for JSON, and for an empty line, which is ignored.
fn is_json(line: &[u8]) -> bool {
    let line = line.strip_prefix(BOM).unwrap_or(line);
    line.iter().all(u8::is_ascii_whitespace) || serde_json::from_slice::<Value>(line).is_ok()
}

/// Returns the error for an `initialize` request without a protocol version, which rmcp would misinterpret.
fn unversioned(line: &[u8]) -> Option<Vec<u8>> {
    let request: Value = serde_json::from_slice(line.strip_prefix(BOM).unwrap_or(line)).ok()?;
    if request["method"] != "initialize" || request["params"]["protocolVersion"].is_string() {
        return None;
    }
    let error = json!({ "code": INVALID_PARAMS, "message": NO_VERSION });
    Some(format!("{}\n", json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).into_bytes())
}

fn refusal(code: i32, message: &str) -> Vec<u8> {
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })).into_bytes()
}

/// Writes the server's whole lines, and errors between them, until the server has ended.
async fn write(server: DuplexStream, mut refused: Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    let (mut server, mut line) = (BufReader::new(server), vec![]);
    loop {
        tokio::select! {
            read = server.read_until(b'\n', &mut line) => match read {
                Ok(1..) => {
                    let line = std::mem::take(&mut line);
                    if put(&mut output, &line).await.is_err() { return; }
                }
                Ok(0) | Err(_) => break,
            },
            Some(refusal) = refused.recv() => if put(&mut output, &refusal).await.is_err() { return; },
        }
    }
    while let Ok(refusal) = refused.try_recv() {
        if put(&mut output, &refusal).await.is_err() {
            return;
        }
    }
}

async fn put(output: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> std::io::Result<()> {
    output.write_all(line).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Returns the lines that reach the server, and the answers to the others.
    async fn carried(input: &[u8]) -> (String, Vec<Value>) {
        let (mut output, theirs) = tokio::io::duplex(4 * LONGEST);
        let ((mut server, answers), ending) = Lines::new(std::io::Cursor::new(input.to_vec()), theirs).split();
        let mut reached = String::new();
        server.read_to_string(&mut reached).await.unwrap();
        drop(answers);
        ending.flushed().await;
        let mut written = String::new();
        output.read_to_string(&mut written).await.unwrap();
        (reached, written.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[tokio::test]
    async fn unreadable_line_gets_an_error_and_the_next_is_read() {
        const PING: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        for bad in ["hello\n", "{\"id\": 1,\n", "{]\n", "\u{1}\n", "{\"a\": \"\\ud800\"}\n"] {
            let (reached, answers) = carried(format!("{bad}{PING}").as_bytes()).await;
            assert_eq!(reached, PING, "{bad}");
            assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &json!(PARSE_ERROR)), "{bad}");
            assert_eq!((&answers[0]["jsonrpc"], &answers[0]["id"]), (&json!("2.0"), &Value::Null));
        }
        let (reached, answers) = carried(&[b"{\"a\": \"\xff\"}\n", PING.as_bytes()].concat()).await;
        assert_eq!((reached.as_str(), answers.len()), (PING, 1), "no UTF-8");
        let long = format!("\"{}\"\n{PING}", "x".repeat(LONGEST));
        let (reached, answers) = carried(long.as_bytes()).await;
        assert_eq!((reached.as_str(), &answers[0]["error"]["code"]), (PING, &json!(INVALID_REQUEST)));
    }

    #[tokio::test]
    async fn json_and_empty_lines_pass() {
        for good in ["{}\n", "\n", " \r\n", "[1]\r\n", "\u{feff}{}\n", "\"text\"\n"] {
            assert_eq!(carried(good.as_bytes()).await, (good.to_owned(), vec![]), "{good:?}");
        }
        assert_eq!(carried(b"{}").await.0, "", "half a line is no message");
    }
}
