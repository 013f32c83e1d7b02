//! Elements whose content HTML parses as raw text, and the escaping of text in hand-written HTML.
//!
//! Leptos writes the content of `textarea`, `script`, `style` and `noscript` unescaped, as its meta tags do with `title`. Only
//! the functions here may render these elements: `architecture.rs` rejects them in every other file.

use leptos::prelude::*;

#[cfg(not(feature = "ssr"))]
use crate::domain::text::unix_lines;

/// A multi-line field with the initial value `text`. Its attributes follow `{..}`.
#[component]
pub fn TextArea(text: String) -> impl IntoView {
    let field = leptos::html::textarea();
    #[cfg(feature = "ssr")]
    let field = field.child(escapable(&text));
    // A property instead of a text node: hydration skips the content of a textarea, so a node would not follow the data.
    #[cfg(not(feature = "ssr"))]
    let field = field.prop("defaultValue", unix_lines(&text).into_owned());
    field
}

/// Escapes the content of a `textarea`. The leading line break is one that an HTML parser drops.
#[cfg(feature = "ssr")]
fn escapable(text: &str) -> String {
    let mut content = String::with_capacity(text.len() + 1);
    content.push('\n');
    push_escaped(&mut content, text);
    content
}

/// Renders the `title` of a document or a drawing.
#[cfg(feature = "ssr")]
pub fn title(text: String) -> AnyView {
    view! { <title>{text}</title> }.into_any()
}

/// Sets the title of the document being rendered.
#[cfg(feature = "ssr")]
pub fn document_title(text: &str) {
    // Leptos does not escape it.
    drop(leptos_meta::Title(leptos_meta::TitleProps::builder().text(escaped(text)).build()));
}

/// Source of a script, known at compile time.
#[cfg(feature = "ssr")]
#[derive(Clone, Copy)]
pub struct Source(&'static str);

#[cfg(feature = "ssr")]
impl Source {
    /// Checks, in a constant, that no part of `code` can end the element or hide its end.
    pub const fn new(code: &'static str) -> Self {
        let bytes = code.as_bytes();
        let mut at = 0;
        while at + 1 < bytes.len() {
            let opens = bytes[at + 1] == b'/' || bytes[at + 1] == b'!' || bytes[at + 1].is_ascii_alphabetic();
            assert!(bytes[at] != b'<' || !opens, "a script may not contain what reads as a tag or a comment");
            at += 1;
        }
        Self(code)
    }

    /// Returns the code without indentation and comment lines.
    fn compact(self) -> String {
        let lines = self.0.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
        lines.flat_map(|line| [line, "\n"]).collect()
    }
}

/// Renders a script that runs before the rest of the page is parsed; the page's CSP allows it by nonce. No string may span lines.
#[cfg(feature = "ssr")]
pub fn script(code: Source) -> impl IntoView {
    view! { <script nonce=leptos::nonce::use_nonce()>{code.compact()}</script> }
}

/// Renders a module that runs once the page is parsed. Its source is treated as in [`script`].
#[cfg(feature = "ssr")]
pub fn module_script(code: Source) -> impl IntoView {
    view! { <script type="module" nonce=leptos::nonce::use_nonce()>{code.compact()}</script> }
}

/// Escapes `text` for the content of an element or for a quoted attribute value.
#[cfg(feature = "ssr")]
pub fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    push_escaped(&mut all, text);
    all
}

#[cfg(feature = "ssr")]
pub fn push_escaped(all: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            '\'' => all.push_str("&#39;"),
            other => all.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: [&str; 8] = [
        "</textarea><script>alert(1)</script>",
        "</TEXTAREA ><meta http-equiv=refresh content=0>",
        "</title></style></noscript>",
        "<!-- ]]> -->",
        "\"'><b onclick=x>",
        "&lt;b&gt; &amp;amp; &#60;",
        "\n\nbegins lower",
        "",
    ];

    #[test]
    fn text_area_holds_its_text_and_nothing_else() {
        for text in HOSTILE {
            let html = view! { <TextArea text=text.to_owned() {..} name="text" rows="2"/> }.to_html();
            let content = html.strip_prefix("<textarea name=\"text\" rows=\"2\">").expect(&html);
            let content = content.strip_suffix("</textarea>").expect(&html);
            let content = content.strip_prefix('\n').expect("the line break that a parser drops");
            assert!(!content.contains(['<', '>', '"']), "{html}");
            let read = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
            let read = read.into_iter().fold(content.to_owned(), |all, (code, sign)| all.replace(code, sign));
            assert_eq!(read, text);
        }
    }

    #[test]
    fn title_is_escaped_in_a_document_and_in_a_drawing() {
        assert_eq!(title("a </title><b>".to_owned()).to_html(), "<title>a &lt;/title&gt;&lt;b&gt;</title>");
    }

    #[test]
    fn script_is_sent_without_comments() {
        let code = Source::new("// A comment.\nif (a) {\n  // Another.\n\n  b('//');\n}\n");
        assert_eq!(code.compact(), "if (a) {\nb('//');\n}\n");
    }

    #[test]
    #[should_panic(expected = "a tag or a comment")]
    fn script_that_could_end_early_is_refused() {
        let _ = Source::new("let text = '</script>';");
    }
}
