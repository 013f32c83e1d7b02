//! Text in Telegram's HTML subset, split into messages of the allowed length.

/// Maximum length of a message, in UTF-16 units (Bot API, sendMessage).
pub const LENGTH: usize = 4096;

/// Returns the length of an unformatted text as escaped HTML, in UTF-16 units.
pub fn length(text: &str) -> usize {
    escaped(text).encode_utf16().count()
}

/// Splits the text into messages of HTML, at least one. The plain text `question` is appended to the last message if it fits, and
/// sent separately otherwise.
pub fn pieces(text: &str, question: &str) -> Vec<String> {
    let (text, question) = (text.trim(), question.trim());
    let mut pieces: Vec<String> = if text.is_empty() { vec![] } else { split(text).into_iter().map(html).collect() };
    let asked = split(question).into_iter().filter(|piece| !piece.is_empty()).map(escaped);
    for asked in asked {
        match pieces.last_mut() {
            Some(last) if length_of_html(last) + length_of_html(&asked) < LENGTH => *last += &format!("\n{asked}"),
            _ => pieces.push(asked),
        }
    }
    if pieces.is_empty() {
        pieces.push("…".to_owned());
    }
    pieces
}

fn length_of_html(html: &str) -> usize {
    html.encode_utf16().count()
}

/// Splits at the end of a line, otherwise between words, otherwise between characters.
fn split(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (vec![], text);
    loop {
        let most = fitting(rest);
        if most == rest.len() {
            pieces.push(rest);
            return pieces;
        }
        let head = &rest[..most];
        let cut = [head.rfind('\n'), head.rfind(' ')].into_iter().flatten().find(|cut| *cut > most / 2);
        let (piece, tail) = rest.split_at(cut.unwrap_or(most));
        pieces.push(piece.trim_end());
        rest = tail.trim_start();
    }
}

/// Returns the number of bytes of the text that fit into one message.
fn fitting(text: &str) -> usize {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > LENGTH {
            return at;
        }
    }
    text.len()
}

/// Renders one piece: `**bold**` and `` `code` `` within a line become tags, everything else is escaped.
fn html(piece: &str) -> String {
    piece.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((at, mark, tag)) =
        [("**", "b"), ("`", "code")].into_iter().filter_map(|(mark, tag)| Some((rest.find(mark)?, mark, tag))).min()
    {
        let (before, after) = (&rest[..at], &rest[at + mark.len()..]);
        let end = after.find(mark).filter(|end| *end > 0 && !after.starts_with(' '));
        let Some(end) = end else {
            out += &escaped(&rest[..at + mark.len()]);
            rest = after;
            continue;
        };
        out += &format!("{}<{tag}>{}</{tag}>", escaped(before), escaped(&after[..end]));
        rest = &after[end + mark.len()..];
    }
    out + &escaped(rest)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_become_tags_and_nothing_else_does() {
        for (text, html) in [
            ("Created task: <b>milk</b> & eggs (#1)", "Created task: &lt;b&gt;milk&lt;/b&gt; &amp; eggs (#1)"),
            ("a **bold** word and `co<de`", "a <b>bold</b> word and <code>co&lt;de</code>"),
            ("2 ** 3 ** 4", "2 ** 3 ** 4"),
            ("**open\nand `never closed", "**open\nand `never closed"),
            ("", "…"),
        ] {
            assert_eq!(pieces(text, ""), [html]);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_lines() {
        let text = format!("{}\n{}", "a".repeat(4000), "b".repeat(4000));
        assert_eq!(pieces(&text, ""), ["a".repeat(4000), "b".repeat(4000)]);
        assert_eq!(pieces(&"🦀".repeat(2049), "").len(), 2, "a crab has two units");
    }

    #[test]
    fn a_question_has_no_marks_and_stands_in_one_message() {
        let question = "Are you sure? **x** `y` <b>";
        let html = "Are you sure? **x** `y` &lt;b&gt;";
        assert_eq!(pieces("", question), [html]);
        assert_eq!(pieces("**Done.**", question), [format!("<b>Done.</b>\n{html}")]);
        let long = "a".repeat(4080);
        assert_eq!(pieces(&long, question), [long.as_str(), html]);
        assert_eq!(length(question), html.len());
    }

    proptest! {
        #[test]
        fn no_piece_is_too_long_and_nothing_is_lost(text in "[a-z🦀\n ]{0,10000}") {
            let pieces = split(text.trim());
            prop_assert!(pieces.iter().all(|piece| piece.encode_utf16().count() <= LENGTH));
            let words = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(words(&pieces.concat()), words(&text));
        }
    }
}
