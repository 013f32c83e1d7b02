//! A page as a browser parses it: elements with attributes, and texts.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, local_name, ns, parse_document, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Attributes that determine an element's behaviour, which no data may change.
const DEEDS: [&str; 12] = [
    "action",
    "autofocus",
    "enctype",
    "formaction",
    "formmethod",
    "http-equiv",
    "method",
    "rel",
    "role",
    "srcdoc",
    "target",
    "type",
];
/// Attributes that contain a URL.
const WAYS: [&str; 4] = ["href", "src", "action", "formaction"];
/// Elements allowed in a rendered message.
const SPOKEN: [&str; 14] =
    ["a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "span", "strong", "ul"];

/// A parsed page.
#[derive(Default)]
pub struct Page {
    /// Every element in order: its depth, name, attribute names, and the values of behavioural attributes.
    pub elements: Vec<String>,
    /// All texts and attribute values.
    pub texts: String,
    /// Forbidden contents of the page.
    pub faults: Vec<String>,
}

impl Page {
    pub fn read(html: &str) -> Self {
        Self::of(&parse_document(RcDom::default(), ParseOpts::default()).one(html).document)
    }

    pub fn fragment(html: &str) -> Self {
        let body = html5ever::QualName::new(None, ns!(html), local_name!("div"));
        let read = parse_fragment(RcDom::default(), ParseOpts::default(), body, vec![], true);
        Self::of(&read.one(html).document)
    }

    fn of(document: &Handle) -> Self {
        let mut page = Self::default();
        page.walk(document, 0);
        page
    }

    fn walk(&mut self, node: &Handle, depth: usize) {
        match &node.data {
            NodeData::Text { contents } => self.say(&contents.borrow()),
            NodeData::Element { name, attrs, .. } => {
                let mut attributes: Vec<(String, String)> =
                    attrs.borrow().iter().map(|it| (it.name.local.to_string(), it.value.to_string())).collect();
                attributes.sort();
                let name = name.local.to_string();
                attributes.iter().for_each(|(name, value)| self.attribute(name, value));
                if name == "script" {
                    return self.script(&attributes);
                }
                let told = attributes.iter().map(|(name, value)| match DEEDS.contains(&name.as_str()) {
                    true => format!(" {name}={value}"),
                    false => format!(" {name}"),
                });
                self.elements.push(format!("{depth} {name}{}", told.collect::<String>()));
                let value = |name: &str| attributes.iter().find(|it| it.0 == name).map_or("", |it| it.1.as_str());
                if value("class").split(' ').any(|class| class == "message-item__text") {
                    // A mention splits the message's text.
                    self.say(&content(node));
                    return node.children.borrow().iter().for_each(|child| self.spoken(child));
                }
                self.children(node, depth + 1);
            }
            _ => self.children(node, depth),
        }
    }

    fn children(&mut self, node: &Handle, depth: usize) {
        node.children.borrow().iter().for_each(|child| self.walk(child, depth));
    }

    fn say(&mut self, text: &str) {
        self.texts += text;
        self.texts.push('\0');
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.say(value);
        let begins = |begin: &[&str]| begin.iter().any(|begin| value.starts_with(begin));
        let leads_elsewhere = value.starts_with("//") || !begins(&["/", "#", "http://", "https://", "mailto:"]);
        let leads_away = leads_elsewhere && WAYS.contains(&name);
        if leads_away || name.starts_with("on") || name == "style" || name == "srcdoc" {
            self.faults.push(format!("{name}={value}"));
        }
    }

    /// Checks that a script has the nonce; the number of scripts depends on the earlier contents.
    fn script(&mut self, attributes: &[(String, String)]) {
        if !attributes.iter().any(|(name, value)| name == "nonce" && !value.is_empty()) {
            self.faults.push(format!("a script with {attributes:?}"));
        }
    }

    /// Checks a message, whose Markdown may contain elements that other texts may not.
    fn spoken(&mut self, node: &Handle) {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let name = name.local.to_string();
            let fits = |it: &html5ever::Attribute| match &*it.name.local {
                "href" => {
                    name == "a"
                        && ["/tasks/", "http://", "https://", "mailto:"].iter().any(|it_is| it.value.starts_with(it_is))
                }
                "rel" => name == "a",
                "class" => it.value.starts_with("task-chip"),
                "start" => name == "ol",
                _ => false,
            };
            if !SPOKEN.contains(&name.as_str()) || !attrs.borrow().iter().all(fits) {
                self.faults.push(format!("a message with <{name}> {:?}", attrs.borrow()));
            }
        }
        node.children.borrow().iter().for_each(|child| self.spoken(child));
    }
}

/// A form: its action, and the fields that a browser sends without input.
#[derive(Debug, Default)]
pub struct Form {
    pub action: String,
    pub fields: Vec<(String, String)>,
}

impl Form {
    /// Returns every form of a page.
    pub fn all(html: &str) -> Vec<Self> {
        let mut all = vec![];
        Self::find(&parse_document(RcDom::default(), ParseOpts::default()).one(html).document, &mut all);
        all
    }

    fn find(node: &Handle, all: &mut Vec<Self>) {
        if let Some(("form", attributes)) = element(node).as_ref().map(|(name, attributes)| (name.as_str(), attributes))
        {
            let action = attributes.iter().find(|it| it.0 == "action").map(|it| it.1.clone()).unwrap_or_default();
            let mut form = Self { action, fields: vec![] };
            form.fill(node);
            all.push(form);
        }
        node.children.borrow().iter().for_each(|child| Self::find(child, all));
    }

    fn fill(&mut self, node: &Handle) {
        for child in node.children.borrow().iter() {
            let Some((element, attributes)) = element(child) else { continue };
            let value = |name: &str| attributes.iter().find(|it| it.0 == name).map(|it| it.1.clone());
            let sent = match element.as_str() {
                "input" => value("value").or(Some(String::new())),
                // Browsers send line ends as CRLF.
                "textarea" => Some(content(child).replace('\n', "\r\n")),
                "select" => chosen(child),
                _ => None,
            };
            if let (Some(name), Some(sent)) = (value("name"), sent) {
                self.fields.push((name, sent));
            }
            self.fill(child);
        }
    }
}

fn chosen(select: &Handle) -> Option<String> {
    let found = |node: &Handle| {
        let (_, attributes) = element(node)?;
        let selected = attributes.iter().any(|it| it.0 == "selected");
        attributes.iter().find(|it| it.0 == "value" && selected).map(|it| it.1.clone())
    };
    select.children.borrow().iter().find_map(found)
}

/// Returns the name and the attributes of an element.
fn element(node: &Handle) -> Option<(String, Vec<(String, String)>)> {
    let NodeData::Element { name, attrs, .. } = &node.data else { return None };
    let attributes = attrs.borrow().iter().map(|it| (it.name.local.to_string(), it.value.to_string())).collect();
    Some((name.local.to_string(), attributes))
}

/// Returns the text of a node and its descendants.
fn content(node: &Handle) -> String {
    if let NodeData::Text { contents } = &node.data {
        return contents.borrow().to_string();
    }
    node.children.borrow().iter().map(content).collect()
}

#[test]
fn a_page_is_read_as_a_browser_reads_it() {
    let page = Page::read(
        "<p title='a&lt;'>b<textarea>\n<i></textarea><TEXTAREA >c</textarea><b onclick=x>d</b><script>e</script>",
    );
    assert_eq!(page.elements[3..], ["2 p title", "3 textarea", "3 textarea", "3 b onclick"]);
    assert_eq!(page.texts, "a<\0b\0<i>\0c\0x\0d\0");
    assert_eq!(page.faults, ["onclick=x", "a script with []"]);
    let page = Page::fragment("<a href='javascript:x'>y</a><div class='message-item__text'><em>z</em><img></div>");
    assert_eq!(page.elements, ["0 html", "1 a href", "1 div class"]);
    assert_eq!(page.faults.len(), 2, "{:?}", page.faults);
}
