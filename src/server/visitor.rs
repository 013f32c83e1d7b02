//! Origin of a request: its address behind trusted proxies, its browser, and its trace.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName, header};
use tower::util::MapRequestLayer;

use crate::config::Network;
use crate::domain::trace::Traceparent;
use crate::domain::user::Visitor;
use crate::messages::access as messages;
use crate::state::AppState;

/// Header of W3C Trace Context, and that of proxies.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Adds a [`Visitor`] to each request.
pub fn layer(state: AppState) -> MapRequestLayer<impl FnMut(Request) -> Request + Clone> {
    MapRequestLayer::new(move |request| visited(&state, request))
}

fn visited(state: &AppState, mut request: Request) -> Request {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    let address = peer.map(|peer| network(client(peer, request.headers(), &state.config.trusted_proxies)));
    let agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let device = device(agent);
    let trace = sent_trace(state, request.headers());
    request.extensions_mut().insert(Visitor { address, device, trace });
    request
}

/// Returns the trace that the caller sent; `None` if tracing is off.
pub fn sent_trace(state: &AppState, headers: &HeaderMap) -> Option<Traceparent> {
    let headers = state.telemetry.traces().then_some(headers)?;
    Traceparent::parse(headers.get(TRACEPARENT)?.to_str().ok()?)
}

/// Returns the last forwarded address that is not a trusted proxy. Anybody may have written the addresses to its left.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    let named = headers.get_all(FORWARDED).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<_> = named.flat_map(|value| value.split(',')).map(|text| text.trim().parse::<IpAddr>()).collect();
    let mut nearest = peer.to_canonical();
    for address in named.into_iter().rev() {
        if !trusted.iter().any(|network| network.contains(nearest)) {
            break;
        }
        // A trusted proxy adds only addresses: anything else came from a client.
        let Ok(address) = address else { break };
        nearest = address.to_canonical();
    }
    nearest
}

/// Reduces an IPv6 address to its /64 network, since a subscriber has at least 2⁶⁴ addresses.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// Describes the client: `Firefox on Linux`. The first match counts, since browsers claim to be others as well.
fn device(agent: &str) -> String {
    let first =
        |names: &[(&str, &'static str)]| names.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name);
    let browser = first(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ]);
    let system = first(&[
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => messages::browser_on(browser, system),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => messages::ANOTHER_BROWSER.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_trusted_proxies_say_of_an_address_counts() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let check = |peer: &str, forwarded: &[&str], expected: &str| {
            let mut headers = HeaderMap::new();
            forwarded.iter().for_each(|value| {
                headers.append(FORWARDED, value.parse().unwrap());
            });
            let trusted = ["10.0.0.1", "10.0.0.2", "172.16.0.0/12"].map(|network| network.parse().unwrap());
            assert_eq!(client(ip(peer), &headers, &trusted), ip(expected), "{peer} {forwarded:?}");
        };
        check("203.0.113.7", &[], "203.0.113.7");
        check("203.0.113.7", &["198.51.100.1"], "203.0.113.7");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["1.1.1.1", "198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["198.51.100.1, nonsense"], "10.0.0.1");
        check("10.0.0.1", &["10.0.0.2"], "10.0.0.2");
        check("172.17.0.3", &["198.51.100.1, 172.31.0.9"], "198.51.100.1");
        check("172.32.0.3", &["198.51.100.1"], "172.32.0.3");
    }

    #[test]
    fn an_address_of_version_six_stands_for_its_network() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!([of("2001:db8:1:2:3:4:5:6"), of("203.0.113.7")], ["2001:db8:1:2::", "203.0.113.7"]);
    }

    #[test]
    fn a_browser_is_told_in_a_few_words() {
        for (agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                "Edge on Windows",
            ),
            ("curl/8.5.0", "curl"),
            ("", "Another browser"),
        ] {
            assert_eq!(device(agent), expected);
        }
    }
}
