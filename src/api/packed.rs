//! A text in a hidden field, sent to the browser and back: deflated (RFC 1951), then base64url (RFC 4648, section 5).
//!
//! A page holds such a field twice, in its HTML and in its hydration data. Escaped HTML would take up to five times the text.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Compresses and encodes a text.
pub fn pack(text: &str) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    BASE64_URL_SAFE_NO_PAD.encode(packed.expect("writing to memory succeeds"))
}

/// Decodes a text of at most `limit` bytes; `None` if it is longer or `packed` is invalid.
pub fn unpack(packed: &str, limit: usize) -> Option<Vec<u8>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(packed).ok()?;
    let mut text = Vec::new();
    let mut reader = DeflateDecoder::new(bytes.as_slice()).take(limit as u64 + 1);
    reader.read_to_end(&mut text).ok()?;
    (text.len() <= limit).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_text_round_trips_within_its_size_limit() {
        let text = "title\nCafé & \"co\" <b>\n".repeat(1000);
        let packed = pack(&text);
        assert!(packed.len() < text.len() / 10, "{}", packed.len());
        assert_eq!(unpack(&packed, text.len()), Some(text.as_bytes().to_vec()));
        assert_eq!(unpack(&packed, text.len() - 1), None);
        for broken in ["a b", "_____", &packed[..packed.len() / 2]] {
            assert_eq!(unpack(broken, 1 << 20), None, "{broken}");
        }
        assert_eq!(unpack(&pack(""), 0), Some(vec![]));
    }
}
