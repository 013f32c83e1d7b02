//! Text extraction from HTML notes.

/// Elements that start a line.
const LINES: [&str; 9] = ["br", "p", "div", "li", "tr", "ul", "ol", "h1", "h2"];
/// Elements without visible text.
const HIDDEN: [&str; 3] = ["style", "script", "head"];
const ENTITIES: [(&str, &str); 7] =
    [("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("ndash", "–"), ("amp", "&")];

/// Maximum length of an entity's name, in bytes.
const LONGEST_ENTITY: usize = 8;

/// Returns the text without tags and entities, one line per paragraph.
pub fn text(html: &str) -> String {
    let (mut text, mut rest, lower) = (String::with_capacity(html.len()), html, html.to_ascii_lowercase());
    while let Some(at) = rest.find(['<', '&']) {
        text += &rest[..at];
        rest = &rest[at..];
        if let Some(tag) = rest.strip_prefix('<') {
            let (inner, after) = tag.split_once('>').unwrap_or((tag, ""));
            let closes = inner.starts_with('/');
            let name = inner.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default().to_lowercase();
            rest = after;
            if HIDDEN.contains(&name.as_str()) && !closes {
                let hidden = &lower[html.len() - rest.len()..];
                rest = &rest[hidden.find(&format!("</{name}")).unwrap_or(rest.len())..];
            } else if LINES.contains(&name.as_str()) && (!closes || name == "p" || name == "div") {
                text.push('\n');
            }
            continue;
        }
        let inner = &rest[1..];
        // A search to the end for each sign would take quadratic time.
        let end = inner.bytes().take(LONGEST_ENTITY + 1).position(|byte| byte == b';');
        let sign = end.and_then(|end| Some((character(&inner[..end])?, &inner[end + 1..])));
        let (sign, after) = sign.unwrap_or_else(|| ("&".to_owned(), inner));
        text += &sign;
        rest = after;
    }
    let lines = (text + rest).lines().map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let blank = |at: usize| lines[at].is_empty() && (at == 0 || lines[at - 1].is_empty());
    let kept: Vec<&str> = (0..lines.len()).filter(|at| !blank(*at)).map(|at| lines[at].as_str()).collect();
    kept.join("\n").trim().to_owned()
}

fn character(name: &str) -> Option<String> {
    if let Some(code) = name.strip_prefix('#') {
        let number = match code.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => code.parse().ok()?,
        };
        return char::from_u32(number).filter(|sign| !sign.is_control()).map(String::from);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, sign)| (*sign).to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::time::spent;

    #[test]
    fn notes_lose_tags_and_entities() {
        for (html, expected) in [
            (
                "<html><head><style>p {}</style></head><body><p>Tea &amp; <b>milk</b></p><p>two</p></body></html>",
                "Tea & milk\n\ntwo",
            ),
            ("a<br>b<br/>c", "a\nb\nc"),
            ("1 &lt; 2 &#8211; &#x41; &unknown; & so", "1 < 2 – A &unknown; & so"),
            ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
            ("no end <b", "no end"),
            ("&#x000041; &#x0000041; <SCRIPT>é</script>é", "A &#x0000041; é"),
        ] {
            assert_eq!(text(html), expected);
        }
    }

    #[test]
    fn long_notes_take_time_in_proportion() {
        for piece in ["&", "<script></script>"] {
            let (html, begun) = (piece.repeat(1_000_000 / piece.len()), spent());
            text(&html);
            let took = spent() - begun;
            assert!(took < Duration::from_secs(10), "{piece}: {took:?}");
        }
    }
}
