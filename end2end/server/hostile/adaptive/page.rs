//! Pages and replies as a person reads them: visible text, and the forms that buttons send without a script.

/// Elements with invisible contents.
const UNSEEN: [&str; 4] = ["script", "style", "template", "noscript"];

/// A form with one button.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    pub action: String,
    /// Names and values of its inputs.
    pub fields: Vec<(String, String)>,
    /// Visible text of its last button.
    pub label: String,
}

impl Form {
    /// Returns the value of a field; empty if the form lacks it.
    pub fn value(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.fields.retain(|(field, _)| field != name);
        self.fields.push((name.to_owned(), value.to_owned()));
    }
}

/// Parses a tag at the beginning of `html`: its name in lower case, its attributes as text, and the rest.
fn tag(html: &str) -> Option<(String, &str, &str)> {
    let inside = html.strip_prefix('<')?;
    let mut quote = None;
    let end = inside.char_indices().find(|(_, c)| {
        match (quote, *c) {
            (None, '"' | '\'') => quote = Some(*c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        *c == '>' && quote.is_none()
    })?;
    let (inner, rest) = (&inside[..end.0], &inside[end.0 + 1..]);
    let name = inner.split([' ', '\n', '/']).find(|part| !part.is_empty()).unwrap_or_default().to_lowercase();
    let closing = if inner.starts_with('/') { "/" } else { "" };
    Some((format!("{closing}{name}"), inner, rest))
}

/// Returns the value of an attribute in a tag's `inner` text.
fn attribute(inner: &str, name: &str) -> Option<String> {
    let (_, rest) = inner.split_once(&format!(" {name}=\""))?;
    Some(unescaped(rest.split('"').next()?))
}

fn unescaped(text: &str) -> String {
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#39;", "'"), ("&nbsp;", " ")];
    known.iter().fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign)).replace("&amp;", "&")
}

/// Returns the visible text of `html`, without attributes, comments and invisible elements.
pub fn visible(html: &str) -> String {
    let (mut seen, mut rest) = (String::new(), html);
    while let Some(at) = rest.find('<') {
        seen += &rest[..at];
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((name, _, after)) = tag(rest) else { break };
        rest = after;
        if UNSEEN.contains(&name.as_str()) {
            rest = rest.split_once(&format!("</{name}>")).map_or("", |(_, after)| after);
        }
        seen.push(' ');
    }
    seen += rest;
    unescaped(&seen).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns every form of a page.
pub fn forms(html: &str) -> Vec<Form> {
    let mut all = vec![];
    for part in html.split("<form").skip(1) {
        let part = part.split("</form>").next().unwrap_or_default();
        let whole = format!("<form{part}");
        let Some((_, inner, mut rest)) = tag(&whole) else { continue };
        let mut form = Form { action: attribute(inner, "action").unwrap_or_default(), ..Form::default() };
        while let Some(at) = rest.find('<') {
            let Some((name, inner, after)) = tag(&rest[at..]) else { break };
            rest = after;
            match name.as_str() {
                "input" | "textarea" => {
                    let field =
                        attribute(inner, "name").map(|field| (field, attribute(inner, "value").unwrap_or_default()));
                    form.fields.extend(field);
                }
                "button" => form.label = visible(rest.split("</button>").next().unwrap_or_default()),
                _ => {}
            }
        }
        all.push(form);
    }
    all
}

/// Returns Docket's last message on the page of a conversation.
pub fn last_reply(html: &str) -> Option<&str> {
    let articles = html.split("<article").skip(1).map(|part| part.split("</article>").next().unwrap_or_default());
    let replies = articles.filter(|part| {
        let class = part.split('>').next().unwrap_or_default();
        class.contains("message-item") && !class.contains("message-item--mine")
    });
    // The rest of the opening tag is no text.
    replies.last().and_then(|part| part.split_once('>')).map(|(_, inside)| inside)
}

#[test]
fn only_what_is_shown_is_visible() {
    for (html, seen) in [
        ("<p>Shall I? <a href=\"/x\" title=\"Are you sure? (yes/no)\">here</a></p>", "Shall I? here"),
        ("a <!-- hidden --> b<script>c</script><template>d</template>", "a b"),
        ("<code class=\"language-Are you sure?\">x &lt; y</code>", "x < y"),
        ("<img alt=\"a > b\">&amp;lt;", "&lt;"),
    ] {
        assert_eq!(visible(html), seen, "{html}");
    }
}

#[test]
fn a_form_is_read_with_its_fields_and_its_button() {
    let html = "<form method=\"post\" action=\"/api/v1/chat\"><input type=\"hidden\" name=\"message\" value=\"say &quot;yes&quot;\">\
                <input type=\"hidden\" name=\"seen\" value=\"7\"/><button class=\"button\"><b>Yes</b>, do</button></form>";
    let [form] = &forms(html)[..] else { panic!("one form") };
    assert_eq!((form.action.as_str(), form.value("message"), form.value("seen")), ("/api/v1/chat", "say \"yes\"", "7"));
    assert_eq!(form.label, "Yes , do");
}

#[test]
fn the_last_reply_is_not_the_persons_own_message() {
    let html = "<article class=\"message-item\">one</article><article class=\"message-item\"><p>two</p></article>\
                <article class=\"message-item message-item--mine\">three</article>";
    assert_eq!(last_reply(html), Some("<p>two</p>"));
}
