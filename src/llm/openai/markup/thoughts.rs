//! Reasoning around a reply, and the markers that begin and end a reply.

/// Opening and closing tags of reasoning; elements may have a namespace.
pub const THOUGHTS: [(&str, &str); 10] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<reflection>", "</reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel>thought", "<channel|>"),
];
/// Markers that begin a reply, in lower case.
const STARTS: [&str; 19] = [
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",
    "<|begin_of_text|>",
    "<|begin_of_box|>",
    "<｜begin▁of▁sentence｜>",
    "<|assistant|>",
    "<｜assistant｜>",
    "<|im_start|>",
    "<bos>",
    "<s>",
    "[/inst]",
    "assistant:",
    "**assistant:**",
    "### assistant:",
    "### assistant",
    "### response:",
    "<|start|>assistant<|message|>",
    "final answer:",
];
/// Markers that end a reply. Text after one is the model's invention of the person's next message.
pub const ENDS: [&str; 20] = [
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_box|>",
    "<|end|>",
    "<|return|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|user|>",
    "<|observation|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "</s>",
    "<eos>",
    "[/INST]",
    "\n### User:",
    "\n### Human:",
    "\n### Instruction:",
];
/// Elements around a whole reply.
const WRAPPERS: [&str; 5] = ["answer", "final_answer", "response", "reply", "output"];
/// Tokens without meaning.
const FILLERS: [&str; 3] = ["<unk>", "<pad>", "<mask>"];
/// Prefixes of reasoning and of the reply in ReAct notation.
const THOUGHT: &str = "thought:";
const ANSWER: &str = "final answer:";
/// Openings of reasoning whose tag the server dropped, in lower case.
const MUSINGS: [&str; 18] = [
    "okay, so",
    "okay, the",
    "ok, the",
    "alright, the",
    "the user",
    "the person",
    "user wants",
    "user asks",
    "we need",
    "we should",
    "i need to",
    "i should",
    "let me think",
    "let's think",
    "let's see",
    "they want",
    "hmm",
    "first, i",
];
/// The words before and after gpt-oss reasoning whose markers were dropped.
const ANALYSIS: &str = "analysis";
const FINAL: &str = "assistantfinal";
/// Maximum bytes of a reasoning tag.
const LONGEST_TAG: usize = 48;
/// Maximum bytes held back until the first sentence ends; reasoning has its own end marker.
const LONGEST_START: usize = 80;

/// Returns the text without reasoning and surrounding markers.
pub fn bare(text: &str) -> String {
    let mut text = without_thoughts(text);
    for filler in FILLERS {
        text = text.replace(filler, "");
    }
    let (mut rest, mut wrapper) = (text.trim_start(), None);
    loop {
        if let Some(start) = STARTS.iter().find(|start| begins(rest, start)) {
            rest = rest[start.len()..].trim_start();
        } else if let Some(name) = WRAPPERS.iter().find(|name| wrapper.is_none() && opens(rest, name)) {
            wrapper = Some(*name);
            rest = rest[name.len() + 2..].trim_start();
        } else {
            break;
        }
    }
    let end = ENDS.iter().filter_map(|end| rest.find(end)).min();
    let rest = &rest[..end.unwrap_or(rest.len())];
    wrapper.map_or_else(|| rest.to_owned(), |name| rest.replacen(&format!("</{name}>"), "", 1))
}

/// Returns true if the text begins with the element.
fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix('<').and_then(|text| text.strip_prefix(name)).is_some_and(|text| text.starts_with('>'))
}

/// Returns true if the text is ReAct thoughts and actions without a reply.
pub fn is_musing(text: &str) -> bool {
    begins(text.trim_start(), THOUGHT)
}

fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.to_lowercase() == start)
}

fn without_thoughts(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((at, length, end)) = first_thought(rest) {
        kept.push_str(&rest[..at]);
        rest = rest[at + length..].split_once(end.as_str()).map_or("", |(_, rest)| rest.trim_start());
    }
    kept.push_str(rest);
    // Some servers put the opening tag into the prompt.
    let mut text = kept.as_str();
    if let Some((at, length)) = closings(text).last() {
        text = text[at + length..].trim_start();
    }
    if is_musing(text)
        && let Some(at) = text.to_ascii_lowercase().rfind(ANSWER)
    {
        text = text[at + ANSWER.len()..].trim_start();
    }
    text.to_owned()
}

/// Returns the first opening tag of reasoning: its offset, its length and its closing tag.
fn first_thought(text: &str) -> Option<(usize, usize, String)> {
    text.match_indices(['<', '[', '◁']).find_map(|(at, _)| {
        let (length, end) = opening(&text[at..])?;
        Some((at, length, end))
    })
}

/// Returns the length and the closing tag of the opening tag at the beginning of the text.
fn opening(text: &str) -> Option<(usize, String)> {
    if let Some((begin, end)) = THOUGHTS.iter().find(|(begin, _)| text.starts_with(begin)) {
        return Some((begin.len(), (*end).to_owned()));
    }
    let tag = spaced(text.strip_prefix('<')?)?;
    Some((tag.len() + 2, format!("</{tag}>")))
}

/// Returns the namespaced name of the reasoning element at the beginning of `text`, which starts after the `<`.
fn spaced(text: &str) -> Option<&str> {
    let (tag, _) = text[..text.floor_char_boundary(LONGEST_TAG)].split_once('>')?;
    let (namespace, local) = tag.split_once(':')?;
    let is_name = namespace.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_local = |begin: &str| begin.strip_prefix('<').and_then(|name| name.strip_suffix('>')) == Some(local);
    (is_name && THOUGHTS.iter().any(|(begin, _)| is_local(begin))).then_some(tag)
}

/// Returns the offsets and lengths of the closing tags, in order.
fn closings(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices(['<', '[', '◁']).filter_map(|(at, _)| {
        let rest = &text[at..];
        let plain = THOUGHTS.iter().find(|(_, end)| rest.starts_with(end)).map(|(_, end)| end.len());
        let length = plain.or_else(|| Some(spaced(rest.strip_prefix("</")?)?.len() + 3))?;
        Some((at, length))
    })
}

/// A streaming filter that removes leading reasoning.
#[derive(Debug, Default)]
pub struct Thoughts {
    held: String,
    over: bool,
    /// The closing tag, once the text is known to begin with reasoning.
    end: Option<String>,
    /// Bytes already searched for the closing tag.
    searched: usize,
    /// True if the model's replies may begin with reasoning without an opening tag.
    unopened: bool,
}

impl Thoughts {
    /// Creates a filter; `unopened` says that reasoning may begin without an opening tag.
    pub fn of(unopened: bool) -> Self {
        Self { unopened, ..Self::default() }
    }

    /// Returns the text that may be shown now.
    pub fn feed(&mut self, more: &str) -> String {
        if self.over {
            return more.to_owned();
        }
        let more = if self.held.is_empty() { more.trim_start() } else { more };
        self.held.push_str(more);
        if self.end.is_none() && self.searched < LONGEST_START {
            self.end = opening(&self.held).map(|(_, end)| end);
        }
        let from = self.searched;
        let news = &self.held[from..];
        let found = match &self.end {
            Some(end) => news.find(end.as_str()).map(|at| (at, end.len())),
            None => closings(news).next().or_else(|| {
                let is_analysis = begins(&self.held, ANALYSIS);
                news.find(FINAL).filter(|_| is_analysis).map(|at| (at, FINAL.len()))
            }),
        };
        if let Some((at, length)) = found {
            self.over = true;
            return self.held[from + at + length..].trim_start().to_owned();
        }
        // The next search starts here, so that long reasoning is scanned once.
        self.searched = self.held.floor_char_boundary(self.held.len().saturating_sub(LONGEST_TAG)).max(from);
        if self.end.is_some() || self.waits() {
            return String::new();
        }
        self.over = true;
        std::mem::take(&mut self.held)
    }

    /// Returns true if the text so far may still turn out to be reasoning.
    fn waits(&self) -> bool {
        let head = &self.held[..self.held.floor_char_boundary(LONGEST_START)];
        let lower = head.to_lowercase();
        let muses = |start: &&str| lower.starts_with(*start) || start.starts_with(&lower);
        let analysis = lower.strip_prefix(ANALYSIS).is_some_and(|rest| !rest.starts_with([' ', ',', '.', ':', '\n']));
        let ends = |(at, _): (usize, &str)| head[at + 1..].starts_with(char::is_whitespace);
        let sentence = head.contains('\n') || head.match_indices(['.', '!', '?']).any(ends);
        self.unopened
            || analysis
            || MUSINGS.iter().chain(&[THOUGHT]).any(muses)
            || THOUGHTS.iter().any(|(begin, _)| begin.starts_with(head))
            || !sentence && self.held.len() < LONGEST_START
    }

    /// Returns the text held back, at the end of the stream, unless it is reasoning.
    pub fn rest(&mut self) -> String {
        let hidden = self.over || self.end.is_some() || is_musing(&self.held);
        self.over = true;
        let held = std::mem::take(&mut self.held);
        if hidden { String::new() } else { held }
    }
}

/// Returns true if the text has a closing tag of reasoning without an opening tag.
pub fn is_unopened(text: &str) -> bool {
    let text = text.trim_start();
    let first = closings(text).next();
    first.is_some_and(|(at, _)| first_thought(&text[..at]).is_none())
}
