//! Providers on a local socket that answer late or send `Retry-After`.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::*;
use crate::llm::Act;
use crate::llm::fallback::greeting;

/// First-byte timeout in these tests.
const PATIENCE: Duration = Duration::from_millis(400);
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const SAID: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn settings(listener: &TcpListener) -> Settings {
    Settings {
        engine: Engine::Compatible,
        base_url: format!("http://{}/v1", listener.local_addr().unwrap()),
        api_key: String::new(),
        model: "m".into(),
        temperature: 0.7,
        max_tokens: 16,
        context_tokens: 16_384,
        stream: true,
    }
}

/// Starts a provider that answers the first request with `first`, and sends `rest` on a signal.
async fn provider(first: String, rest: &'static str) -> (OpenAi, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = settings(&listener);
    let (go_on, told) = oneshot::channel();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        assert!(client.read(&mut [0; 16 << 10]).await.unwrap() > 0, "a request");
        client.write_all(first.as_bytes()).await.unwrap();
        told.await.ok();
        client.write_all(rest.as_bytes()).await.ok();
    });
    (OpenAi { first_byte: PATIENCE, ..OpenAi::waiting(settings, PATIENCE / 4) }, go_on)
}

#[tokio::test]
async fn provider_timeout_applies_only_until_the_first_byte() {
    let (engine, go_on) = provider(format!("{EVENTS}: on its way\n\n"), SAID).await;
    let request = greeting([].into());
    let mut asked = pin!(engine.complete(&request));
    assert!(timeout(PATIENCE * 2, &mut asked).await.is_err(), "its comment was a first byte");
    go_on.send(()).unwrap();
    assert_eq!(asked.await.unwrap().act, Act::Say { text: "Hello.".into() });

    for silent in [String::new(), EVENTS.to_owned()] {
        let (engine, _go_on) = provider(silent, SAID).await;
        let answer = engine.complete(&request).await;
        assert!(matches!(&answer, Err(LlmError::Unavailable(why)) if why.starts_with("nothing came")), "{answer:?}");
    }
}

#[tokio::test]
async fn unstreamed_answer_to_a_streaming_request_is_read() {
    const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n\r\n";
    let message = r#""message": {"content": "Hello.", "tool_calls": null}"#;
    let answer = format!("{{\n  \"choices\": [\r\n{{{message}, \"finish_reason\": \"stop\"}}]\n}}\n");
    for (body, expected) in [
        (answer.as_str(), Ok("Hello.")),
        (
            r#"{"error": {"code": 401, "message": "who?"}}"#,
            Err("the provider does not accept the API key (status 401)"),
        ),
        ("{\"choices\": [", Err("the answer is no JSON")),
        // A stream with a JSON content type.
        (SAID, Ok("Hello.")),
    ] {
        let (engine, go_on) = provider(format!("{JSON}{body}"), "").await;
        go_on.send(()).unwrap();
        let answer = engine.complete(&greeting([].into())).await;
        let told = answer.map(|reply| reply.act).map_err(|error| error.why());
        let said = |text: &str| Act::Say { text: text.to_owned() };
        assert_eq!(told, expected.map(said).map_err(str::to_owned), "{body}");
    }
}

#[tokio::test]
async fn error_with_a_truncated_body_is_classified_by_status() {
    for (status, expected) in [("401 Unauthorized", "refused"), ("503 Service Unavailable\r\nretry-after: 2", "busy")] {
        let (engine, _go_on) = provider(format!("HTTP/1.1 {status}\r\ncontent-length: 1000\r\n\r\n{{"), "").await;
        let answer = engine.complete(&greeting([].into())).await;
        let told = match &answer {
            Err(LlmError::Refused(_)) => "refused",
            Err(LlmError::Busy { after, .. }) if after.as_secs() == 2 => "busy",
            _ => "something else",
        };
        assert_eq!(told, expected, "{answer:?}");
    }
}

#[tokio::test]
async fn unsupported_temperature_is_learned_from_the_first_refusal() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let engine = OpenAi::new(settings(&listener));
    let served = tokio::spawn(async move {
        let mut heated = vec![];
        for _ in 0..3 {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 << 10];
            let length = client.read(&mut request).await.unwrap();
            heated.push(String::from_utf8_lossy(&request[..length]).contains("\"temperature\""));
            let refused = r#"{"error": {"message": "no temperature", "param": "temperature"}}"#;
            let answer = match heated.last() {
                Some(true) => {
                    let length = refused.len();
                    format!(
                        "HTTP/1.1 400 Bad Request\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{refused}"
                    )
                }
                _ => format!("{EVENTS}{SAID}"),
            };
            client.write_all(answer.as_bytes()).await.unwrap();
        }
        heated
    });
    for _ in 0..2 {
        assert_eq!(engine.complete(&greeting([].into())).await.unwrap().act, Act::Say { text: "Hello.".into() });
    }
    assert_eq!(served.await.unwrap(), [true, false, false]);
}

#[tokio::test]
async fn authorization_uses_the_api_key_before_url_credentials() {
    for (name, key, expected) in [
        ("", "sk-1", Some("authorization: Bearer sk-1")),
        ("", "", None),
        ("ann:secret@", "", Some("authorization: Basic YW5uOnNlY3JldA==")),
        ("ann:secret@", "sk-1", Some("authorization: Bearer sk-1")),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let settings =
            Settings { base_url: format!("http://{name}{address}/v1"), api_key: key.into(), ..settings(&listener) };
        let heard = tokio::spawn(async move {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 << 10];
            let length = client.read(&mut request).await.unwrap();
            client.write_all(format!("{EVENTS}{SAID}").as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        OpenAi::waiting(settings, PATIENCE).complete(&greeting([].into())).await.unwrap();
        let heard = heard.await.unwrap();
        let sent = heard.lines().find(|line| line.to_lowercase().starts_with("authorization:"));
        assert_eq!(sent.map(str::to_lowercase), expected.map(str::to_lowercase), "{name} {key}");
    }
}
