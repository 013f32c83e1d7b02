//! Decoding of files in the encodings that spreadsheets and other programs write.

use std::borrow::Cow;

use crate::domain::Invalid;

/// Maximum size of a file, in bytes.
pub const LARGEST: usize = 4 * 1024 * 1024;

/// Magic numbers of binary formats, and their names.
const OTHERS: [(&[u8], &str); 8] = [
    (b"PK\x03\x04", "an Excel workbook (such as .xlsx) or a ZIP archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (such as .xls)"),
    (b"%PDF", "a PDF document"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"\x89PNG", "an image (PNG)"),
    (b"GIF8", "an image (GIF)"),
    (b"\x1f\x8b", "an archive (gzip)"),
    (b"SQLite format 3", "a database"),
];

/// Decodes UTF-8, or UTF-16 of either byte order, without the byte-order mark.
///
/// # Errors
/// A sentence about a file in another format.
pub fn decoded(file: &[u8]) -> Result<Cow<'_, str>, Invalid> {
    if let Some((_, what)) = OTHERS.iter().find(|(begin, _)| file.starts_with(begin)) {
        return Err(Invalid::because(format!(
            "The file is {what}, not text. Save or export its tasks as CSV in UTF-8."
        )));
    }
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, odd) = rest.as_chunks::<2>();
        let text = String::from_utf16(&pairs.iter().copied().map(unit).collect::<Vec<_>>()).ok();
        text.filter(|_| odd.is_empty()).map(Cow::Owned).ok_or_else(unreadable)
    };
    match file {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        // Tables and JSON start with an ASCII character: a zero byte next to it means UTF-16 without a mark.
        [1..=0x7f, 0, ..] => units(file, u16::from_le_bytes),
        [0, 1..=0x7f, ..] => units(file, u16::from_be_bytes),
        _ => {
            let text = std::str::from_utf8(file).map_err(|_| unreadable())?;
            Ok(text.strip_prefix('\u{feff}').unwrap_or(text).into())
        }
    }
}

fn unreadable() -> Invalid {
    Invalid::because("The file is not UTF-8 text; save it as UTF-8.")
}

/// Returns the separator that the first line names (`sep=;`, as Excel reads it), and the remaining text.
pub fn separator(text: &str) -> Option<(char, &str)> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = first.strip_suffix('\r').unwrap_or(first);
    let line = line.strip_prefix('"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    let (name, sign) = line.split_at_checked(4)?;
    let mut signs = sign.chars();
    let separator = signs.next().filter(|sign| matches!(sign, ',' | ';' | '\t' | '|'))?;
    (name.eq_ignore_ascii_case("sep=") && signs.next().is_none()).then_some((separator, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn files_of_each_encoding_are_one_text() {
        let text = "title,due\nCafé ☕,tomorrow\n";
        let marked = format!("\u{feff}{text}");
        for file in [
            text.as_bytes().to_vec(),
            marked.as_bytes().to_vec(),
            utf16(&marked, u16::to_le_bytes),
            utf16(&marked, u16::to_be_bytes),
            utf16(text, u16::to_le_bytes),
            utf16(text, u16::to_be_bytes),
        ] {
            assert_eq!(decoded(&file).unwrap(), text, "{file:?}");
        }
        for broken in
            [&b"caf\xe9"[..], b"\xff\xfe\x00", b"PK\x03\x04", b"\xff\xfe\x00\xd8", b"\xfe\xff\xd8\x00", b"t\0i"]
        {
            assert!(decoded(broken).unwrap_err().to_string().contains("UTF-8"), "{broken:?}");
        }
    }

    #[test]
    fn a_first_line_may_name_the_separator() {
        for (text, found) in [
            ("sep=;\ntitle;due\n", Some((';', "title;due\n"))),
            ("SEP=,\r\ntitle,due", Some((',', "title,due"))),
            ("\"sep=;\"\ntitle", Some((';', "title"))),
            ("sep=\t\ntitle", Some(('\t', "title"))),
            ("sep=|\ntitle|due", Some(('|', "title|due"))),
            ("sep=ab\ntitle", None),
            ("sep,title\nx,y", None),
            ("title;due\nsep=;", None),
            ("", None),
        ] {
            assert_eq!(separator(text), found, "{text:?}");
        }
    }
}
