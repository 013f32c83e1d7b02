//! Credentials in the base URL, for a proxy in front of the provider.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

/// Splits the URL into the URL without userinfo and the userinfo.
pub fn credentials(address: &str) -> (String, Option<String>) {
    let split = || {
        let (scheme, rest) = address.split_once("://")?;
        let host = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
        let (name, _) = host.rsplit_once('@')?;
        Some((format!("{scheme}://{}", &rest[name.len() + 1..]), name.to_owned()))
    };
    split().map_or_else(|| (address.to_owned(), None), |(address, name)| (address, Some(name)))
}

/// Returns the Basic authentication header (RFC 7617) of percent-encoded userinfo.
pub fn basic(name: &str) -> HeaderValue {
    let mut plain = vec![];
    let mut rest = name.as_bytes();
    while let [first, behind @ ..] = rest {
        let hex = behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let coded = hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(coded.unwrap_or(*first));
        rest = if coded.is_some() { &behind[2..] } else { behind };
    }
    let mut header = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(plain))).expect("base64 is ASCII");
    header.set_sensitive(true);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_and_password_leave_the_address() {
        for (address, bare, name) in [
            ("http://ann:secret@host:1/v1", "http://host:1/v1", Some("ann:secret")),
            ("https://a%40b:p%3Aq@host", "https://host", Some("a%40b:p%3Aq")),
            ("http://host/v1/@x?y=a@b", "http://host/v1/@x?y=a@b", None),
        ] {
            assert_eq!(credentials(address), (bare.to_owned(), name.map(str::to_owned)));
        }
        assert_eq!(basic("a%40b:p%3Aq"), format!("Basic {}", STANDARD.encode("a@b:p:q")));
    }
}
