//! Text extraction from HTML notes.

/// Elements that start a line.
const LINES: [&str; 9] = ["br", "p", "div", "li", "tr", "ul", "ol", "h1", "h2"];
/// Elements without visible text.
const HIDDEN: [&str; 3] = ["style", "script", "head"];
const ENTITIES: [(&str, &str); 7] =
    [("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("ndash", "–"), ("amp", "&")];

/// Returns the text without tags and entities, one line per paragraph.
pub fn text(html: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(at) = rest.find(['<', '&']) {
        text += &rest[..at];
        rest = &rest[at..];
        if let Some(tag) = rest.strip_prefix('<') {
            let (inner, after) = tag.split_once('>').unwrap_or((tag, ""));
            let closes = inner.starts_with('/');
            let name = inner.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default().to_lowercase();
            rest = after;
            if HIDDEN.contains(&name.as_str()) && !closes {
                let end = rest.to_ascii_lowercase().find(&format!("</{name}")).unwrap_or(rest.len());
                rest = &rest[end..];
            } else if LINES.contains(&name.as_str()) && (!closes || name == "p" || name == "div") {
                text.push('\n');
            }
            continue;
        }
        let entity = rest[1..].split_once(';').filter(|(name, _)| name.len() <= 8);
        let sign = entity.and_then(|(name, after)| Some((character(name)?, after)));
        let (sign, after) = sign.unwrap_or_else(|| ("&".to_owned(), &rest[1..]));
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
    use super::*;

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
        ] {
            assert_eq!(text(html), expected);
        }
    }
}
