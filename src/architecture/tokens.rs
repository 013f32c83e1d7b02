//! A lexer of Rust source into words and marks, sufficient to find paths. Comments and literals are no tokens.

/// A word (identifier, keyword or number) or a mark (`::` is one), and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// From 1.
    pub line: usize,
    /// Prefix of a text literal, such as `r`; `None` for words and marks.
    pub text_after: Option<char>,
}

/// Returns the tokens of `source`, without comments, text literals and lifetimes.
pub fn tokens(source: &str) -> Vec<Token> {
    let mut all = tokens_and_texts(source);
    all.retain(|token| token.text_after.is_none());
    all
}

/// Returns the tokens of `source` with its text literals, without their quotes.
pub fn tokens_and_texts(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { chars: source.chars().collect(), at: 0, line: 1, out: Vec::new() };
    while let Some(c) = lexer.peek(0) {
        lexer.step(c);
    }
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
    out: Vec<Token>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn push(&mut self, text: String) {
        self.out.push(Token { text, line: self.line, text_after: None });
    }

    /// Adds a text literal that begins at `start` and has `content` between its quotes.
    fn push_text(&mut self, start: usize, content: std::ops::Range<usize>) {
        let before = start.checked_sub(1).map_or('\n', |at| self.chars[at]);
        let text = self.chars[content].iter().collect();
        self.out.push(Token { text, line: self.line, text_after: Some(before) });
    }

    fn step(&mut self, c: char) {
        match (c, self.peek(1)) {
            ('/', Some('/')) => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.next();
                }
            }
            ('/', Some('*')) => self.block_comment(),
            ('"', _) => self.text(),
            ('\'', _) => self.quote(),
            (':', Some(':')) => {
                self.at += 2;
                self.push("::".into());
            }
            _ if c.is_alphanumeric() || c == '_' => self.word(),
            _ => {
                self.next();
                if !c.is_whitespace() {
                    self.push(c.into());
                }
            }
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.next() {
            match (c, self.peek(0)) {
                ('/', Some('*')) => {
                    depth += 1;
                    self.next();
                }
                ('*', Some('/')) => {
                    depth -= 1;
                    self.next();
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn text(&mut self) {
        let start = self.at;
        self.next();
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '"' => return self.push_text(start, start + 1..self.at - 1),
                _ => {}
            }
        }
    }

    /// Reads a character, or a lifetime, which has no closing quote.
    fn quote(&mut self) {
        self.next();
        if self.peek(0) == Some('\\') {
            self.at += 2;
            while self.next().is_some_and(|c| c != '\'') {}
        } else if self.peek(1) == Some('\'') {
            self.next();
            self.next();
        } else {
            while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                self.next();
            }
        }
    }

    /// Reads a word, or a text literal with its hashes after `r`, `b` or `c`.
    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.next();
        }
        let word: String = self.chars[start..self.at].iter().collect();
        match (word.as_str(), self.peek(0)) {
            ("r" | "br" | "cr", Some('"' | '#')) => self.raw_text(),
            ("b" | "c", Some('"')) => self.text(),
            _ => self.push(word),
        }
    }

    /// `r"…"`, `r#"…"#`; also `r#word`, an identifier.
    fn raw_text(&mut self) {
        let mut hashes = 0;
        while self.peek(0) == Some('#') {
            self.next();
            hashes += 1;
        }
        if self.peek(0) != Some('"') {
            return self.word();
        }
        let start = self.at;
        self.next();
        while let Some(c) = self.next() {
            if c == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                self.push_text(start, start + 1..self.at - 1);
                self.at += hashes;
                return;
            }
        }
    }
}

#[test]
fn what_strings_and_comments_say_is_not_source() {
    let source = r##"
        // crate::a
        /* crate::b /* crate::c */ crate::d */
        let x: &'static str = "crate::e \" crate::f";
        let y = r#"crate::g " crate::h"#; let c = '"'; let d = '\''; r#type; b"crate::i";
        crate::j
    "##;
    let words: Vec<String> = tokens(source).into_iter().map(|token| token.text).collect();
    let rest: Vec<&str> = words.iter().map(String::as_str).filter(|word| word.len() > 1).collect();
    assert_eq!(rest, ["let", "str", "let", "let", "let", "type", "crate", "::"]);
    assert_eq!(tokens("a\nb")[1].line, 2);
}
