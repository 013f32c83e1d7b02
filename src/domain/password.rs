//! Passwords, and detection of common ones by their parts. A few hundred words cover the thousands of entries that
//! breached-password lists build from them with common suffixes (ASVS 5.0, 6.2.4).

use std::sync::LazyLock;

use crate::domain::Invalid;

/// A password as typed: 10–200 characters, and not a common one. Never printed.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    /// Checks the length (NIST SP 800-63B, 3.1.1) and rejects common passwords.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let password = Self::of_operator(text)?;
        if is_tried_first(text) {
            return Err(Invalid::because(
                "This password is too common. Choose another one, such as several random words.",
            ));
        }
        Ok(password)
    }

    /// Checks the length only, for operators with shell access to the server. Their scripts create accounts with chosen
    /// passwords, which an upgrade must not reject.
    pub fn of_operator(text: &str) -> Result<Self, Invalid> {
        match text.chars().count() {
            10..=200 => Ok(Self(text.to_owned())),
            0..10 => Err(Invalid::because("A password must have at least 10 characters.")),
            _ => Err(Invalid::because("A password can have at most 200 characters.")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Words that are frequent in lists of breached passwords, alone or with digits.
const WORDS: &str = "
    password passwort passwords passwd passw pass pwd motdepasse contrasena wachtwoord parola senha mypassword thepassword
    mypass letmein letmeinnow welcome welcomeback changeme changemenow pleasechange default guest secret topsecret administrator
    admin admins superadmin root rootroot superuser sysadmin master webmaster manager system server login signin access user username
    test tester testing demo temp temporary example sample docket qwerty qwertz azerty asdf asdfgh zxcvbn qazwsx
    iloveyou iloveu iloveme iloveyousomuch loveyou loveme lovely love lover forever foreverlove truelove mylove babygirl
    babyboy baby sweetheart sweetie sweet honey angel angels princess prince queen king cutie beautiful gorgeous sexy hotgirl
    football soccer baseball basketball hockey tennis golf liverpool arsenal chelsea manchester manutd barcelona realmadrid
    juventus lakers yankees cowboys steelers eagles broncos packers redsox
    monkey dragon tiger lion panther eagle falcon phoenix wolf shadow butterfly dolphin bunny kitty kitten hellokitty puppy
    chicken elephant penguin unicorn spider scorpion snoopy garfield
    superman batman spiderman ironman wonderwoman pokemon pikachu naruto starwars startrek skywalker gandalf matrix terminator
    minecraft fortnite roblox nintendo playstation xbox warcraft starcraft counterstrike halo
    sunshine summer winter spring autumn january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday flower flowers rainbow sunflower thunder lightning diamond crystal
    silver golden purple orange yellow banana cherry strawberry chocolate cookie cookies cupcake pepper ginger cheese peanut
    mercedes ferrari porsche mustang corvette camaro harley yamaha honda toyota
    michael michelle jennifer jessica ashley amanda andrew anthony daniel danielle nicole nicholas robert william thomas charlie
    jordan joshua matthew christopher christian alexander alexandra elizabeth samantha stephanie victoria veronica patrick
    richard maggie hannah george justin brandon austin natasha tinkerbell sebastian
    computer internet google facebook microsoft windows samsung apple iphone android linux ubuntu hacker killer trustno
    whatever nothing anything something blahblah fuckyou fuckoff asshole bullshit
    hello hellohello helloworld goodbye freedom liberty america england germany france london paris jesus jesuschrist godisgood
    blessed heaven faith hope happy smile lucky success money rich millionaire
    metallica nirvana slipknot eminem beatles blink guitar music dancer
";

/// Keyboard walks, alphabets and digit sequences.
const WALKS: [&str; 20] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "qwertyasdfghzxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "zaq12wsxcde34rfvbgt56yhn",
    "zaq1xsw2cde3vfr4bgt5nhy6",
    "1qazxsw23edcvfr45tgbnhy6",
    "qweasdzxcrtyfghvbn",
    "qweqweqweasdasdasdzxczxczxc",
    "1234qwerasdfzxcv",
    "123qweasdzxc",
    "1a2b3c4d5e6f7g8h9i0j",
    "a1b2c3d4e5f6g7h8i9j0",
    "13579246801357924680",
];

/// Minimum length of a keyboard walk.
const WALKED: usize = 3;
/// Maximum number of digits, e.g. a year, that count as a suffix or prefix.
const DIGITS: usize = 4;
/// Maximum period of a repetition, which adds no strength.
const PERIOD: usize = 4;

/// Returns true for one common part, or two in a row that are not both words, e.g. a word and a year. Ignores case, signs and
/// digits used as letters.
fn is_tried_first(text: &str) -> bool {
    let read = text.to_lowercase().replace('@', "a").replace('$', "s");
    let all: Vec<char> = read.chars().collect();
    let letters: Vec<char> = all.iter().copied().filter(|c| c.is_alphanumeric()).collect();
    // Signs count if the text consists mostly of them.
    let whole = if letters.len() * 2 < all.len() { all.as_slice() } else { letters.as_slice() };
    if (1..=PERIOD).any(|period| whole.iter().zip(whole.iter().skip(period)).all(|(one, next)| one == next)) {
        return true;
    }
    // A doubled text is as weak as half of it.
    let half = whole.split_at(whole.len() / 2);
    let once = if half.0 == half.1 { half.0 } else { whole };
    part(once).is_some()
        || (1..once.len()).any(|at| {
            let (before, after) = once.split_at(at);
            matches!((part(before), part(after)), (Some(one), Some(other)) if !(one && other))
        })
}

/// Returns `Some` for a common part, with true if it is a word.
fn part(letters: &[char]) -> Option<bool> {
    static PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    if PARTS.iter().any(|word| reads(letters, word)) {
        return Some(true);
    }
    let digits = letters.len() <= DIGITS && letters.iter().all(char::is_ascii_digit);
    let same = letters.len() >= WALKED && letters.iter().all(|letter| *letter == letters[0]);
    let forth: String = letters.iter().collect();
    let back: String = letters.iter().rev().collect();
    let walk = letters.len() >= WALKED && WALKS.iter().any(|line| line.contains(&forth) || line.contains(&back));
    (digits || same || walk).then_some(false)
}

/// Returns true if the letters spell the word, with digits allowed for similar letters.
fn reads(letters: &[char], word: &str) -> bool {
    let alike = [('0', 'o'), ('1', 'i'), ('1', 'l'), ('3', 'e'), ('4', 'a'), ('5', 's'), ('7', 't'), ('9', 'g')];
    word.len() == letters.len()
        && letters.iter().zip(word.chars()).all(|(letter, of)| *letter == of || alike.contains(&(*letter, of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_has_10_to_200_characters_of_any_kind() {
        for good in
            ["correct horse battery", "žluťoučký kůň úpěl", "🔑🔒🗝️🪟🚪🧱🏠🌳🌲☂️x", &"correct horse ".repeat(14)]
        {
            assert_eq!(Password::parse(good).expect(good).as_str(), good, "as it was typed");
        }
        assert_eq!(
            Password::parse("ninechars").unwrap_err().to_string(),
            "A password must have at least 10 characters."
        );
        assert!(Password::parse(&"six wo".repeat(34)).unwrap_err().to_string().contains("at most 200"));
        assert_eq!(format!("{:?}", Password::parse("correct horse battery").unwrap()), "Password(…)");
    }

    #[test]
    fn a_password_that_everybody_tries_is_refused() {
        for tried in [
            "1234567890",
            "0987654321",
            "1111111111",
            "1212121212",
            "123123123123",
            "abcabcabcabc",
            "password123",
            "Password1234",
            "P@ssw0rd2024",
            "pa55w0rd!!!!1",
            "passwordpassword",
            "123password",
            "my password 1",
            "qwertyuiop",
            "qwerty12345",
            "1q2w3e4r5t",
            "1qaz2wsx3edc",
            "zaq12wsxcde3",
            "asdfghjkl123",
            "QWERTZUIOP",
            "iloveyou12",
            "ILoveYou2012!",
            "liverpool1",
            "football99",
            "sunshine01",
            "princess123",
            "Summer2025!",
            "changeme123",
            "administrator",
            "admin12345",
            "letmein2024",
            "welcome-123",
            "trustno1trustno1",
            "abcdefghij",
            "1a2b3c4d5e",
            "elizabeth1987",
        ] {
            let refused = Password::parse(tried).err().unwrap_or_else(|| panic!("{tried} is taken"));
            assert!(refused.to_string().contains("too common"), "{tried}: {refused}");
        }
        for fine in [
            "correct horse battery",
            "correct horse battery staple",
            "a long test password",
            "set by the operator",
            "long enough it is",
            "a password for the bench",
            "purple monkey dishwasher",
            "Tr0ub4dor&3x",
            "dkt-9f3b-77ac",
            "sommerregen im juni",
            "hunter2hunter3",
            "password of ada",
            "test-password",
            "3141592653589",
        ] {
            assert!(Password::parse(fine).is_ok(), "{fine}");
        }
    }

    #[test]
    fn common_password_patterns_yield_over_3000_rejected_passwords() {
        let words = WORDS.split_whitespace().filter(|word| word.len() >= 6);
        let with_years = words.flat_map(|word| (1950..2030).map(move |year| format!("{word}{year}")));
        let tried = with_years.filter(|made| Password::parse(made).is_err());
        // More passwords than these would only take time.
        let made: std::collections::BTreeSet<_> = tried.take(3_001).collect();
        assert_eq!(made.len(), 3_001);
    }
}
