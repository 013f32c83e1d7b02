//! Plausibility checks of a pattern's captures: dates are dates, titles are no numbers, questions are no commands.

use crate::llm::rules::lex::matching;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::alike::bulk;
use crate::llm::rules::read::captured::about;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::levels::{leveled, priority};
use crate::llm::rules::read::pattern::Captures;
use crate::llm::rules::read::pattern::take;
use crate::llm::rules::read::rule::Rule;
use crate::llm::rules::read::target::{numbers, places};
use crate::llm::rules::read::{labels, particles, placing, scope, shift, shops, status, waiting};

/// Validation of captured dates.
mod dates;
/// Validation of captured notes.
mod notes;

/// Participles that report a completion and also occur in commands to complete.
const PAST: Set = set("completed|finished|done|ticked|checked");

/// One match of a pattern against a clause.
pub(in crate::llm::rules) struct Candidate<'a> {
    pub captures: &'a Captures,
    pub clause: &'a [Word],
    pub context: Context<'a>,
    /// The keys of the capture `x`.
    pub x: Vec<&'a str>,
}

impl<'a> Candidate<'a> {
    pub fn new(captures: &'a Captures, clause: &'a [Word], context: Context<'a>) -> Self {
        let mut candidate = Self { captures, clause, context, x: vec![] };
        candidate.x = candidate.keys('x');
        candidate
    }

    /// Returns true if the match is plausible for the rule.
    pub fn fits(&self, rule: Rule) -> bool {
        if !self.typed()
            || matches!(
                self.x.as_slice(),
                ["me" | "us" | "you" | "self" | "myself" | "i" | "we" | "im" | "were" | "ive"]
                    | ["rid", ..]
                    | ["thats", "me" | "us"]
            )
        {
            return false;
        }
        match rule {
            Rule::Add => self.adds(),
            Rule::Rename | Rule::Describe | Rule::Change | Rule::Reword => self.renames(rule),
            Rule::Shift => {
                let (amount, way) = (shift::amount(self.stretch('n')), shift::earlier(self.clause));
                amount.is_some() && way.is_some() && self.named() && self.orders(rule)
            }
            // "can the fair be on friday instead" is a request.
            Rule::Due if set!("can|could|may|might").has(&self.clause[0].key) => self.asked_for(),
            // "by a day" is not a date.
            Rule::Due if self.by_amount() || self.torn_off() || self.puts_down() => false,
            Rule::Due => self.named() && self.orders(rule) && (self.clause[0].key != "schedule" || self.settled()),
            // "add a name tag to my list" sets no tag.
            Rule::Project | Rule::Tag if self.x.contains(&"LIST") || rule == Rule::Project && !self.files() => false,
            Rule::NoNote | Rule::Skip if self.x.is_empty() => true,
            Rule::NoDue | Rule::NoNote | Rule::Skip | Rule::Project | Rule::NoProject | Rule::Tag | Rule::Untag => {
                self.named() && self.orders(rule)
            }
            Rule::Complete if status::all_of_it(self.clause, &self.x) || self.house_number() => false,
            Rule::Complete if self.ended_ones() => false,
            Rule::Complete | Rule::Happened if waiting::far(self.clause) => false,
            Rule::Complete | Rule::Reopen | Rule::Unneeded => self.orders(rule),
            Rule::Priority if self.new_chore() || self.lists_all() => false,
            Rule::Priority => {
                self.named() && self.level() && leveled(self.captures, self.clause) && !self.asks() && !self.makes()
            }
            Rule::Happened => self.happened(),
            Rule::Delete => {
                !self.opens_with(set!("from|off|on|in|out|of|i|we|you|he|she|they"))
                    && !self.denied_within()
                    // "bin bags onto my list" are added there.
                    && !matches!(self.x.as_slice(), [.., "onto" | "into", "LIST"])
            }
            Rule::EditWhat => self.edits(),
            Rule::Get => self.looks(),
            Rule::AddNothing => !particles::drops(self.clause),
            Rule::AddIfAbsent => !placing::to_self(self.clause),
            Rule::NewList => true,
        }
    }

    /// Returns true if the match may change a title or a note.
    fn renames(&self, rule: Rule) -> bool {
        match rule {
            // "add milk with “semi” in the notes" sets no note on an existing task.
            Rule::Describe if self.x.is_empty() && (!self.notes_alone() || self.ranges()) => false,
            Rule::Describe if placing::to_self(self.clause) || !self.addressed() => false,
            Rule::Rename if self.idiom() || self.happens() || self.falls_on_day() || self.counts() => false,
            // "the deadline for the report is now …" sets no title.
            Rule::Rename if self.opens_with(set!("deadline|due")) || self.x.get(..2) == Some(&["the", "deadline"]) => {
                false
            }
            Rule::Describe if self.titled_notes() => false,
            Rule::Rename | Rule::Describe => self.named() && !self.whole_list() && !self.yours() && self.orders(rule),
            Rule::Change => self.named() && !self.whole_list() && !self.yours() && !self.adds_aside(),
            // "3 should be high, not low" sets no title.
            Rule::Reword if priority(self.stretch('y')).is_some() || self.context.date(self.stretch('y')).is_some() => {
                false
            }
            Rule::Reword => self.settled() && !self.x.contains(&"LIST") && self.orders(rule),
            _ => false,
        }
    }

    pub fn stretch(&self, name: char) -> &'a [Word] {
        take(self.captures, name, self.clause).unwrap_or_default()
    }

    pub fn keys(&self, name: char) -> Vec<&'a str> {
        self.stretch(name).iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect()
    }

    pub fn opens_with(&self, set: Set) -> bool {
        self.x.first().is_some_and(|first| set.has(first))
    }

    fn asks(&self) -> bool {
        scope::is_question(self.clause)
    }

    /// Returns the task named by `x` or `t`.
    fn target(&self) -> Target {
        about(self.captures, self.clause, self.context)
    }

    /// Returns true if `d` is a date, `p` a priority, and `t` a number or explicitly a task.
    fn typed(&self) -> bool {
        let has = |name| take(self.captures, name, self.clause).is_some();
        let dated = |name| !has(name) || self.context.date(self.stretch(name)).is_some();
        let date = dated('d') && dated('f');
        let level = !has('p') || priority(self.stretch('p')).is_some();
        let task = !has('t') || {
            let target = self.context.target(self.stretch('t'));
            let called = self.keys('t').last() == Some(&"TASK") && !matches!(target, Target::Missing | Target::It);
            called || matches!(target, Target::Numbers(_))
        };
        let tags = !has('g') || labels::are_tags(self.stretch('g'));
        let project = !has('j') || labels::is_project(self.stretch('j'));
        let called = !has('k') || labels::names_project(self.stretch('k'));
        let quoted = !has('q') || matches!(self.stretch('q'), [only] if only.kind == Kind::Quoted);
        quoted && self.for_shop() && date && level && task && tags && project && called
    }

    /// Returns true if `h` is absent or another name of a shopping list; for "the shop" alone, `x` must be short.
    fn for_shop(&self) -> bool {
        let shop = self.stretch('h');
        let short = || self.x.len() <= 3 && !self.opens_with(set!("a|an|the|new|my|our|another"));
        shop.is_empty() || shops::names(shop) && (shop.len() > 1 || short())
    }

    /// Returns true if any task is named; "a reminder" names none.
    fn named(&self) -> bool {
        self.target() != Target::Missing
    }

    /// Returns true if the target is certainly a task: a number, an ordinal, "it", or explicitly a task.
    pub fn settled(&self) -> bool {
        !matches!(self.target(), Target::Words { named: false, .. } | Target::Missing | Target::All(_))
    }

    /// Returns true for idioms without a title: "call it a day", "call it off", "call it tomorrow".
    fn idiom(&self) -> bool {
        const SAID: Set =
            set("off|a day|a night|quits|in|back|up|out|even|evens|again|now|later|a draw|done|first|one|TASK");
        const LEADS: Set = set(
            "off|back|quits|something|anything|whatever|what|about|for|with|from|on|that|this|which|where|of|once|when",
        );
        let (title, keys) = (self.stretch('y'), self.keys('y'));
        let bare = set!("call|name|rename|retitle|title").has(&self.clause[0].key) && self.x.is_empty();
        let led = keys.first().is_some_and(|first| LEADS.has(first));
        let field = || priority(title).is_some() || self.context.date(title).is_some();
        bare && title.iter().all(|word| word.kind != Kind::Quoted) && (led || SAID.has(&keys.join(" ")) || field())
    }

    /// Returns true if the number counts what is called: "call 3 plumbers".
    fn counts(&self) -> bool {
        matches!(self.clause, [call, count, .., things] if call.key == "call" && things.key.ends_with('s')
            && count.key.parse::<u32>().is_ok_and(|count| count > 1) && things.kind == Kind::Plain && self.clause.len() <= 4)
    }

    /// Returns true if the whole list is meant, which no change applies to: "update my list to …".
    fn whole_list(&self) -> bool {
        !self.x.is_empty() && self.x != ["the"] && self.x.iter().all(|key| set!("LIST|TASKS|my|the|all").has(key))
    }

    /// Returns true if Docket is meant and no task: "change your name".
    fn yours(&self) -> bool {
        self.x.first() == Some(&"your")
    }

    fn adds(&self) -> bool {
        let x = &self.x;
        if placing::to_self(self.clause) {
            return !x.is_empty();
        }
        let denied = x.last().is_some_and(|last| set!("longer|not|doesnt|dont|didnt|isnt|no").has(last)) || self.back();
        let number = |key: &str| key.trim_start_matches('#').parse::<u32>().is_ok();
        let task = matches!(x.as_slice(), [] | ["TASK"] | ["TASKS" | "these" | "those", ..])
            || matches!(x.as_slice(), ["TASK", next, ..] if number(next))
            || numbers(x).is_some()
            || places(x).is_some();
        let list_inside = x.contains(&"LIST") && self.stretch('x').len() > 1 && !self.called() && !self.over_list();
        // "put the kettle on" adds nothing, unless the message mentions a list.
        let loose = matches!(self.clause.last().map(|word| word.key.as_str()), Some("on" | "in"))
            && self.captures.last().is_some_and(|(_, _, end)| *end < self.clause.len())
            && !self.context.text.to_lowercase().contains("list");
        let torn = self.torn_date();
        // "schedule a call and invite everyone" involves other people.
        let invites = set!("schedule|book|arrange|organise|organize").has(&self.clause[0].key) && x.contains(&"invite");
        !denied
            && !self.marks_done()
            && !self.taken_off()
            && !invites
            && !task
            && !loose
            && !torn
            && !list_inside
            && !self.supposes()
            && !self.asks()
            && !self.numbered()
            && !scope::recalls(self.clause)
    }

    /// Returns true if a title is introduced explicitly, so that any words are allowed: "a task called tidy the list".
    pub fn called(&self) -> bool {
        let starts = self.captures.iter().filter(|(name, start, _)| *name == 'x' && *start > 0);
        let mut leads = starts.map(|(_, start, _)| self.clause[*start - 1].key.as_str());
        let task = self.clause.iter().take(5).any(|word| word.key == "TASK");
        task && leads.any(|lead| set!("called|named|titled|entitled").has(lead))
    }

    /// Returns true if the task is to do something with the list: "remind me to check my list".
    fn over_list(&self) -> bool {
        const VERBS: Set =
            set("check|review|tidy|read|update|print|write|make|over|through|at|finish|send|sort|trim|prune|off|with");
        let reminds = set!("remind|remember|nudge|ping|dont").has(&self.clause[0].key);
        reminds && self.x.windows(2).any(|pair| VERBS.has(pair[0]) && pair[1] == "LIST")
    }

    /// Returns true if "it" means a new task and is no title: "add milk, make it two".
    fn adds_aside(&self) -> bool {
        let aside = self
            .captures
            .iter()
            .any(|(name, start, end)| *name == 'x' && *start == 0 && self.clause.get(*end).is_some_and(Word::is_mark));
        aside && (self.makes() || !self.orders(Rule::Change))
    }

    /// Returns true for conditions, which are no titles.
    fn supposes(&self) -> bool {
        self.clause.first().is_some_and(|word| matches!(word.key.as_str(), "if" | "unless"))
            || self.x.first() == Some(&"if")
    }

    /// Returns true if the number names a task instead of beginning a title: "task 3 …".
    fn numbered(&self) -> bool {
        // "add task 5 reps of squats": the number is an amount.
        let plural = self.x.get(1).is_some_and(|next| next.len() > 3 && next.ends_with('s'));
        if self.clause[0].key == "add" && self.x.len() >= 3 && plural {
            return false;
        }
        self.captures.iter().any(|(name, start, _)| {
            let digits = self.clause[*start].key.trim_start_matches('#');
            *name == 'x'
                && *start > 0
                && matches!(self.clause[*start - 1].key.as_str(), "TASK" | "TASKS" | "number")
                && digits.starts_with(|c: char| c.is_ascii_digit())
        })
    }

    /// Returns true if the supposed title contains a prohibition: "leave the rent on, don't take it off".
    fn denied_within(&self) -> bool {
        let denies = |pair: &[Word]| pair[0].is_mark() && set!("dont|not|never|no|do").has(&pair[1].key);
        self.stretch('x').windows(2).any(denies)
    }

    /// Returns true for a command or statement about a task, and false for a question or a command of another kind.
    fn orders(&self, rule: Rule) -> bool {
        let stated = self.captures.first().is_some_and(|(name, start, _)| *name == 'x' && *start == 0);
        let other = rule == Rule::Complete
            && self.opens_with(set!(
                "delete|remove|erase|show|list|clear|rename|get|wipe|nuke|purge|trash|ditch|discard|chuck",
            ))
            || stated
                && rule != Rule::Complete
                && self.opens_with(set!(
                    "delete|remove|erase|show|list|bin|scrap|add|complete|finish|tick|mark|close|move|reopen|clear",
                ));
        let shows = matches!(self.clause[0].key.as_str(), "show" | "list");
        let past = self.clause.get(usize::from(shows)).is_some_and(|word| PAST.has(&word.key));
        // "show completed reports", "show all that i finished already" and "completed the report?" are questions.
        let ordered = self.clause.iter().any(|word| matches!(word.key.as_str(), "as" | "to" | "status"));
        let looks = rule == Rule::Complete
            && (past && (shows || self.clause.last().is_some_and(|word| word.key == "?")) || shows && !ordered);
        !self.asks() && !other && !looks && !self.opens_with(set!("to|i|get|when|if|ill|not|dont|add|remind|need"))
    }

    /// Returns true if completed tasks are to be removed: "bin everything thats finished".
    fn ended_ones(&self) -> bool {
        const DROPS: Set = set(
            "bin|scrap|drop|ditch|dump|junk|chuck|axe|zap|yeet|toss|throw|lose|kill|nix|sack|cull|discard|bung|cancel|remove|clear",
        );
        DROPS.has(&self.clause[0].key) && {
            let keys: Vec<&str> =
                self.clause[1..].iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
            bulk(&keys).is_some_and(|scope| scope.status.is_some())
        }
    }

    /// Returns true if a new task is requested, whatever its priority: "add task “x”, priority high".
    fn makes(&self) -> bool {
        let stated = self.captures.first().is_some_and(|(_, start, _)| *start == 0);
        stated && self.opens_with(set!("add|create|new|remind|note|log|schedule|put|jot|insert|remember"))
    }

    fn level(&self) -> bool {
        take(self.captures, 'y', self.clause).is_none_or(|stretch| priority(stretch).is_some())
    }

    /// Returns true for a statement of something done: a verb in the past tense, no question and no negation.
    fn happened(&self) -> bool {
        let marked = |word: &Word| word.kind == Kind::Quoted || matches!(word.key.as_str(), ":" | "?");
        let other = set!("not|never|to|should|will|would|must|need|want|if|when|list|LIST|TASK|TASKS");
        if self.asks() || self.clause.iter().any(marked) || self.x.iter().any(|key| other.has(key)) {
            return false;
        }
        match self.keys('v').as_slice() {
            // "the cat has had her drops"
            [] if !self.stretch('z').is_empty() => self.x.len() <= 3 && self.keys('z').len() <= 4,
            [] => self.x.len() >= 2 && self.x.len() <= 10 && matching::is_past(self.x[0]),
            [verb] => matching::is_past(verb),
            _ => false,
        }
    }

    fn edits(&self) -> bool {
        if set!("postpone|reschedule|delay|defer|snooze").has(&self.clause[0].key) || self.x.is_empty() {
            return true;
        }
        let target = self.target();
        const ANY: Set = set("change|edit|update|modify|amend|alter|adjust|rename|retitle|move|revise");
        let owned = self.x.iter().any(|key| matches!(*key, "your" | "you"));
        let short = self.x.len() <= 6 && !owned;
        let stated = self.captures.first().is_some_and(|(_, start, _)| *start == 0);
        // "the bank one" is on the list, whatever its subject.
        let one = self.x.len() >= 2 && matches!(self.x.last(), Some(&("one" | "TASK")));
        (!scope::foreign_noun(&self.x) || one || matches!(target, Target::Numbers(_) | Target::Places(_)))
            && match target {
                Target::Words { named: false, .. } => stated || short && ANY.has(&self.clause[0].key),
                Target::Them | Target::All(_) => false,
                _ => true,
            }
    }

    /// Returns true if a task may be shown: not for "what time is it" or "show me a list of …".
    fn looks(&self) -> bool {
        let says = self
            .clause
            .iter()
            .any(|word| set!("say|says|said|about|due|look|looking|read|called|named|titled|priority").has(&word.key));
        if take(self.captures, 'v', self.clause).is_some()
            && !matches!(self.keys('v').as_slice(), [verb] if matching::is_past(verb))
        {
            return false;
        }
        let clock = self.clause[0].key == "what" && self.x.first() == Some(&"it") && !says;
        let first = self.x.iter().find(|key| !matches!(**key, "a" | "the" | "my"));
        // "get it sorted by friday" is something to do.
        let points = self.x.len() > 1 && self.opens_with(set!("it|that|this|them|those|these"));
        if self.clause[0].key == "get" && points {
            return false;
        }
        !clock && first.is_none_or(|first| *first != "LIST")
    }
}
