//! Price of a model's tokens, if configured.

/// Micro-units per currency unit.
const MICROS: i64 = 1_000_000;
/// Number of tokens that a price is for.
const TOKENS: i128 = 1_000_000;

/// Price of a million tokens, in micro-units of the provider's currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: i64,
    pub output: i64,
}

impl Price {
    /// Returns the cost of the tokens in micro-units, rounded to the nearest.
    pub fn of(self, tokens_in: i64, tokens_out: i64) -> i64 {
        let all = i128::from(tokens_in) * i128::from(self.input) + i128::from(tokens_out) * i128::from(self.output);
        i64::try_from((all + TOKENS / 2) / TOKENS).unwrap_or(i64::MAX)
    }
}

/// Parses an amount such as `0.15`: up to 10000, with up to six digits after the point.
pub(super) fn amount(text: &str) -> Result<i64, String> {
    let allowed = || "an amount from 0 to 10000 such as 0.15, with up to six digits after the point".to_owned();
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return Err(allowed());
    }
    let whole: i64 = whole.parse().map_err(|_| allowed())?;
    let part: i64 = format!("{part:0<6}").parse().map_err(|_| allowed())?;
    let micros = whole.checked_mul(MICROS).and_then(|micros| micros.checked_add(part));
    micros.filter(|micros| *micros <= 10_000 * MICROS).ok_or_else(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_exact_to_the_millionth() {
        for (text, micros) in [
            ("0", Some(0)),
            ("0.15", Some(150_000)),
            ("2.5", Some(2_500_000)),
            ("10000", Some(10_000_000_000)),
            ("0.000001", Some(1)),
            ("10000.000001", None),
            ("0.0000001", None),
            ("-1", None),
            ("1,5", None),
            (".5", None),
            ("1.", None),
            ("1e3", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(amount(text).ok(), micros, "{text}");
        }
    }

    #[test]
    fn token_price_is_charged_per_million_tokens() {
        let price = Price { input: 150_000, output: 600_000 };
        for (tokens, micros) in [((0, 0), 0), ((1_000_000, 0), 150_000), ((1_000, 500), 450), ((3, 0), 0), ((4, 0), 1)]
        {
            assert_eq!(price.of(tokens.0, tokens.1), micros, "{tokens:?}");
        }
        let dear = Price { input: 10_000_000_000, output: 0 };
        assert_eq!(dear.of(i64::MAX, i64::MAX), i64::MAX, "nothing overflows");
    }
}
