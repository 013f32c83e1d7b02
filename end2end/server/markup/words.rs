//! Hostile strings that resemble markup, and harmless twins of equal shape.

/// Each begins with a unique mark. None has a number sign before a digit, which would mention a task.
pub const HOSTILE: [&str; 20] = [
    "h01 </textarea><script>alert(1)</script>",
    "h02 </TEXTAREA ><img src=x onerror=alert(1)>",
    "h03 </title></script><script>alert(1)</script>",
    "h04 --><svg onload=alert(1)><!--",
    "h05 ]]><!-- <![CDATA[ <b>",
    "h06 \"><b id=x onclick=\"y",
    "h07 ' onmouseover='alert(1)' x='",
    "h08 &lt;b&gt; &amp;amp; &quot; &NotEqual;",
    "h09 \u{2028}</script>\u{2029}\u{202e}<i>",
    "h10 <plaintext><xmp><listing>",
    "h11 </noscript><noscript><style>*{display:none}</style>",
    "h12 </textarea></label></form><form method=\"post\" action=\"/api/v1/approvals/decide\">",
    "h13 <meta http-equiv=\"refresh\" content=\"0;url=//evil.example\">",
    "h14 [x](javascript:alert(1)) ![y](data:text/html,<b>)",
    "h15 <a href=\"data:text/html,<script>\">z</a> <http://evil.example>",
    "h16 javascript:alert(1) ${7*7} {{7*7}} %3Cscript%3E",
    "h17 <iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "h18 </li></ul></main></body></html><base href=//evil.example>",
    "h19 \\u003cscript\\u003e \\\"; alert(1)//",
    "h20 </select></option></button></details><input autofocus onfocus=alert(1)>",
];

/// Strings of a person, an agent, a model or a file, hostile or harmless.
#[derive(Clone, Copy)]
pub struct Words {
    pub hostile: bool,
}

impl Words {
    /// Returns the string at `at`, cut to `most` characters.
    pub fn line(self, at: usize, most: usize) -> String {
        self.said(HOSTILE[at % HOSTILE.len()]).chars().take(most).collect::<String>().trim_end().to_owned()
    }

    /// Returns the string without spaces and commas.
    pub fn word(self, at: usize, most: usize) -> String {
        self.line(at, most).replace([' ', ','], "/")
    }

    /// Returns the string on several lines, after an empty one.
    pub fn text(self, at: usize) -> String {
        let line = self.line(at, 200);
        format!("\n{line}\n\n  {line}")
    }

    /// Returns a text of `count` characters.
    pub fn long(self, at: usize, count: usize) -> String {
        self.line(at, 200).chars().cycle().take(count).collect::<String>().trim_end().to_owned()
    }

    /// Returns the string unchanged, or with a letter for each character of markup.
    fn said(self, text: &str) -> String {
        let harmless = |c: char| if c.is_ascii_punctuation() { 'x' } else { c };
        if self.hostile { text.to_owned() } else { text.chars().map(harmless).collect() }
    }
}
