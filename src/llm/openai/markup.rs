//! Machine markup: markers by which models delimit roles, channels and calls. They belong to the protocol between model
//! and server. Some servers leave them in the text, where no person should see them.

use super::control;
use crate::domain::tool::ToolName;

mod controls;
mod elements;
mod thoughts;

pub use controls::{Controls, without_controls};
use thoughts::THOUGHTS;
pub use thoughts::{ENDS, Thoughts, bare, is_musing, is_unopened};

/// Openings of machine text, in lower case, which no reply to a person contains.
const OPENINGS: [&str; 36] = [
    "<|",
    "<｜",
    "<channel|>",
    "<tool_call",
    "</tool_call",
    "<toolcall",
    "<tool_use",
    "<tool_code",
    "<tool_response",
    "<function=",
    "<function_call",
    "<functioncall",
    "<function name",
    "<invoke ",
    "<parameter",
    "<arg_key",
    "<minimax:tool_call",
    "<seed:tool_call",
    "<dsml",
    "<start_of_turn>",
    "<end_of_turn>",
    "<start_function_call>",
    "<eos>",
    "<bos>",
    "</s>",
    "<s>",
    "[tool_calls]",
    "[/tool_calls]",
    "[args]",
    "[call_id]",
    "[inst]",
    "[/inst]",
    "functools[",
    "to=functions",
    "assistantfinal",
    "assistantcommentary",
];
/// Namespaces that some models put before a tool's name.
pub const NAMESPACES: [&str; 6] = ["functions.", "functions:", "default_api.", "default_api:", "tools.", "tool."];
/// Maximum bytes of whitespace between a marker and its content.
const LONGEST_GAP: usize = 64;
/// The classification of a text by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Words,
    /// Too short to decide.
    Unclear,
    /// JSON or a fenced block: machine text if it is a call.
    Data,
    Machine,
}

/// Classifies a text by its beginning; `starts_word` is true if the preceding character belongs to no word.
pub fn beginning(text: &str, starts_word: bool) -> Beginning {
    let mut found = Beginning::Words;
    let mut see = |seen: Beginning| {
        if seen != Beginning::Words && found != Beginning::Machine {
            found = seen;
        }
    };
    let opens = text.starts_with(['<', '[']) || starts_word;
    for opening in OPENINGS.iter().filter(|_| opens) {
        see(prefix(text, opening));
    }
    for (opening, _) in THOUGHTS.iter().filter(|_| opens) {
        see(prefix(text, opening));
    }
    if starts_word {
        names().for_each(|name| see(call(text, name)));
        for namespace in NAMESPACES {
            match text.get(..namespace.len()).filter(|head| head.eq_ignore_ascii_case(namespace)) {
                Some(_) => names().for_each(|name| see(prefix(&text[namespace.len()..], name))),
                None => see(prefix(text, namespace)),
            }
        }
    }
    if text.starts_with('<') {
        see(elements::element(text));
    }
    if starts_word && !text.starts_with(char::is_whitespace) {
        see(elements::label(text));
    }
    if found == Beginning::Words { data(text) } else { found }
}

/// Returns the names of all tools and control functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    let tools = ToolName::ALL.into_iter().flat_map(|tool| [tool.as_str(), tool.alias()]);
    tools.chain([control::ASK, control::DECLINE])
}

/// Returns true if the name is also an English word, such as `undo`; then only a call of it is machine text.
fn is_english(name: &str) -> bool {
    !name.contains('_')
}

fn prefix(text: &str, opening: &str) -> Beginning {
    let length = text.len().min(opening.len());
    if !text.as_bytes()[..length].eq_ignore_ascii_case(&opening.as_bytes()[..length]) {
        return Beginning::Words;
    }
    if length < opening.len() { Beginning::Unclear } else { Beginning::Machine }
}

/// Matches `name(` or `name {`; without the blank if the name is an English word.
fn call(text: &str, name: &str) -> Beginning {
    match text.strip_prefix(name) {
        None => {
            if name.starts_with(text) {
                Beginning::Unclear
            } else {
                Beginning::Words
            }
        }
        Some(rest) => match (if is_english(name) { rest } else { rest.trim_start() }).chars().next() {
            Some('(' | '{') => Beginning::Machine,
            None if rest.len() <= LONGEST_GAP => Beginning::Unclear,
            Some(_) | None => Beginning::Words,
        },
    }
}

fn data(text: &str) -> Beginning {
    if let Some(rest) = text.strip_prefix('`') {
        return if "``".starts_with(rest) && rest != "``" {
            Beginning::Unclear
        } else if rest.starts_with("``") {
            Beginning::Data
        } else {
            Beginning::Words
        };
    }
    let list = text.strip_prefix('[').map(str::trim_start);
    let is_short = text.len() <= LONGEST_GAP;
    match list.unwrap_or(text).strip_prefix('{').map(str::trim_start) {
        Some("") if is_short => Beginning::Unclear,
        Some(rest) if rest.starts_with(['"', '\'']) => Beginning::Data,
        None if list == Some("") && is_short => Beginning::Unclear,
        Some(_) | None => Beginning::Words,
    }
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Returns the places where data or machine text begins.
pub fn places(text: &str) -> impl Iterator<Item = (usize, Beginning)> {
    let mut in_word = false;
    text.char_indices().filter_map(move |(at, sign)| {
        let found = beginning(&text[at..], !in_word);
        in_word = is_of_word(sign);
        matches!(found, Beginning::Data | Beginning::Machine).then_some((at, found))
    })
}

/// A streaming filter that holds back machine text and possible beginnings of it.
#[derive(Debug, Default)]
pub struct Screen {
    controls: Controls,
    held: String,
    in_word: bool,
    stopped: bool,
}

impl Screen {
    /// Returns the text that may be shown now. Nothing after data or machine text is shown, since it is classified at the end only.
    pub fn feed(&mut self, more: &str) -> String {
        if self.stopped {
            return String::new();
        }
        let more = self.controls.feed(more);
        self.held.push_str(&more);
        let mut end = self.held.len();
        for (at, sign) in self.held.char_indices() {
            match beginning(&self.held[at..], !self.in_word) {
                Beginning::Words => self.in_word = is_of_word(sign),
                Beginning::Unclear => {
                    end = at;
                    break;
                }
                Beginning::Data | Beginning::Machine => {
                    self.stopped = true;
                    end = at;
                    break;
                }
            }
        }
        let rest = self.held.split_off(end);
        std::mem::replace(&mut self.held, rest)
    }

    /// Returns the text held back, at the end of the stream.
    pub fn rest(&mut self) -> String {
        if self.stopped { String::new() } else { std::mem::take(&mut self.held) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text shown for a stream in pieces of `size` characters.
    fn shown(text: &str, size: usize) -> String {
        let (mut screen, signs) = (Screen::default(), text.chars().collect::<Vec<_>>());
        let mut shown: String =
            signs.chunks(size).map(|piece| screen.feed(&piece.iter().collect::<String>())).collect();
        shown += &screen.rest();
        shown
    }

    #[test]
    fn thoughts_are_taken_out_however_they_are_cut() {
        let spaced = [("<seed:think>", "</seed:think>"), ("<x:reasoning>", "</x:reasoning>")];
        for (begin, end) in THOUGHTS.into_iter().chain(spaced) {
            let text = format!(" {begin}\nThey want <b>milk</b>.{end}\n\nAdded.");
            for size in 1..8 {
                let mut thoughts = Thoughts::default();
                let pieces: Vec<char> = text.chars().collect();
                let shown: String =
                    pieces.chunks(size).map(|piece| thoughts.feed(&piece.iter().collect::<String>())).collect();
                assert_eq!(shown.trim_start(), "Added.", "{begin}");
            }
            assert_eq!(bare(&text), "Added.", "{begin}");
            assert_eq!(bare(&format!("Done. {begin}Hm.{end} Anything more?")), "Done. Anything more?");
            assert_eq!(bare(&format!("Done. {begin}Hm.")), "Done. ");
            assert_eq!(bare(&format!("They want milk.\n{end}\n\nAdded.")), "Added.");
        }
        assert_eq!(Thoughts::default().feed("<thin ice>. "), "<thin ice>. ");
    }

    #[test]
    fn start_of_reply_is_withheld_until_it_is_not_reasoning() {
        let long =
            "The user wants milk. So I add it. Then I say so. That takes some more words than a first sentence has.";
        for (text, expected) in [
            ("secret plan here, long enough to be streamed out</think>Visible words.", "Visible words."),
            (format!("{long}</think>\nAdded.").as_str(), "Added."),
            ("analysissecret plan of mine. More of it.assistantfinalVisible.", "Visible."),
            ("Thought: they want milk. So be it.\nFinal Answer: Added.", ""),
            ("analysis of it is due friday. Yes.", "analysis of it is due friday. Yes."),
            ("Added.", "Added."),
            (long, long),
        ] {
            for size in 1..9 {
                let (mut thoughts, signs) = (Thoughts::default(), text.chars().collect::<Vec<_>>());
                let feed = |piece: &[char]| thoughts.feed(&piece.iter().collect::<String>());
                let mut shown: String = signs.chunks(size).map(feed).collect();
                shown += &thoughts.rest();
                assert_eq!(shown.trim_start(), expected, "{size}");
            }
        }
        assert!(is_unopened("Hm.</think>Added.") && !is_unopened("<think>Hm.</think>Added.") && !is_unopened("Added."));
        assert_eq!(Thoughts::of(true).feed("A first sentence. And another."), "");
    }

    #[test]
    fn machine_text_is_held_back_however_it_is_cut() {
        for (text, expected) in [
            ("Sure. <tool_call>{\"name\": 1}</tool_call>", "Sure. "),
            ("<|channel|>final<|message|>Hello", ""),
            ("Hello.<|im_end|>", "Hello."),
            ("[TOOL_CALLS] [{}]", ""),
            ("I do: functions.add_task({})", "I do: "),
            ("So: add_task(title='x')", "So: "),
            ("So: add_task {\"title\": \"x\"}", "So: "),
            ("{\"name\": \"add_task\"}", ""),
            ("[ {\"name\": \"add_task\"}]", ""),
            ("Look:\n```json\n{}\n```", "Look:\n"),
            ("<｜tool▁calls▁begin｜>", ""),
            ("Hm. <THINK>x", "Hm. "),
            ("So. <x:invoke name=\"add_task\">", "So. "),
            ("So. <x:function_calls>", "So. "),
            ("So. <add_task><title>x", "So. "),
            ("So. <tool name=\"add_task\">{}", "So. "),
            ("So. <use_mcp_tool>", "So. "),
            ("Hm.\nAction: add_task\nAction Input: {}", "Hm.\n"),
            ("✿FUNCTION✿: add_task\n✿ARGS✿: {}", ""),
            ("So:\n**Tool:** add_task", "So:\n"),
            ("tool: functions.add_task\narguments:", ""),
            ("- Function name: `add_task`", "- "),
        ] {
            for size in 1..9 {
                assert_eq!(shown(text, size), expected, "{size}");
            }
        }
    }

    #[test]
    fn words_pass_whole() {
        for text in [
            "I added “milk” to your list.",
            "a < b, a <b> and {x}, [1], [ ] and `code`",
            "It has many functions. I can add_task for you, or add a task.",
            "Your tools. Nothing is due [today]",
            "<strong>x</strong> {",
            "The toolkit is #3; use `add_task` and then `",
            "[x] done\n[ ] open",
            "Action: call the bank. Tool: hammer. Name: Ann; <a href=\"x\">link</a> 1 < 2",
            "The tool add_task: it adds. Call me: **now** Action: undo it. Now undo (Ctrl+Z) <a title=\"undo\">",
        ] {
            for size in 1..9 {
                assert_eq!(shown(text, size), text, "{size}");
            }
            assert_eq!(bare(text), text);
            assert!(places(text).all(|(_, found)| found != Beginning::Machine), "{text}");
        }
    }

    #[test]
    fn signs_around_a_reply_are_taken_off() {
        for text in [
            "Added.<|im_end|>",
            "Added.</s>",
            "<|im_start|>assistant\nAdded.<|im_end|>\n<|im_start|>user\nthanks",
            "<|start_header_id|>assistant<|end_header_id|>\n\nAdded.<|eot_id|>",
            "<s> Added.</s>",
            "<start_of_turn>model\nAdded.<end_of_turn>\n<start_of_turn>user",
            "Added.<｜end▁of▁sentence｜>",
            "[/INST] Added.",
            "Added.<|endoftext|>Human: more",
            "<|begin_of_box|>Added.<|end_of_box|>",
            "assistant: Added.",
            "### Assistant: Added.",
            "<think>Hm.</think><answer>Added.</answer>",
            "Added.<unk>",
            "Thought: milk it is.\nFinal Answer: Added.",
            "Added.\n### User: more",
        ] {
            assert_eq!(bare(text), "Added.", "{text}");
        }
    }
}
