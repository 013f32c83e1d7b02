//! Trace context of a turn, possibly from a remote caller: the `traceparent` of W3C Trace Context.

use std::fmt;

/// A trace and the parent span within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traceparent {
    /// Never all zeros.
    pub trace: [u8; 16],
    /// All zeros if the trace begins here, without a parent span.
    pub span: [u8; 8],
    /// True if the trace's initiator wants its spans recorded.
    pub sampled: bool,
}

impl Traceparent {
    /// Parses `00-<32 hexadecimal digits>-<16>-<2>`, and the same parts of later versions (W3C Trace Context, 3.2). `None` if
    /// invalid; the header is then ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let read = Self::read(text.trim())?;
        (read.span != [0; 8]).then_some(read)
    }

    /// Parses the stored form, in which the trace may begin here.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        if version == "ff" || version == "00" && parts.next().is_some() {
            return None;
        }
        let [_] = bytes::<1>(version)?;
        let [flags] = bytes::<1>(flags)?;
        let (trace, span) = (bytes::<16>(trace)?, bytes::<8>(span)?);
        (trace != [0; 16]).then_some(Self { trace, span, sampled: flags & 1 == 1 })
    }

    /// Returns the trace id as 32 hexadecimal digits.
    pub fn trace_id(&self) -> String {
        hex(&self.trace)
    }
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", hex(&self.trace), hex(&self.span), u8::from(self.sampled))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses exactly `N` bytes of two lower-case digits each.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut read = [0; N];
    for (byte, pair) in read.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_traceparent_counts_as_none() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let read = Traceparent::parse(good).unwrap();
        assert_eq!((read.to_string().as_str(), read.sampled), (good, true));
        assert_eq!(read.trace_id(), "0af7651916cd43dd8448eb211c80319c");
        assert!(Traceparent::parse(&good.replace("-01", "-00")).is_some_and(|read| !read.sampled));
        // A later version may have more parts at the end.
        assert!(Traceparent::parse(&format!("{}-more", good.replacen("00", "cc", 1))).is_some());
        for bad in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319é-b7ad6b7169203331-01",
        ] {
            assert_eq!(Traceparent::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn root_trace_without_a_parent_span_round_trips() {
        let begun = Traceparent { trace: [7; 16], span: [0; 8], sampled: true };
        assert_eq!(Traceparent::read(&begun.to_string()), Some(begun));
    }
}
