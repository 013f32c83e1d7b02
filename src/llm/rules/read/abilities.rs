//! Questions about Docket's abilities and how to use them.

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::read::scope::foreign_noun;

/// Returns true for questions about how Docket does things.
pub(in crate::llm::rules) fn how_to(keys: &[&str]) -> bool {
    // "what all can you do", "what exactly can you do"
    let telling: Vec<&str> = keys.iter().copied().filter(|key| !set!("all|exactly|else|really").has(key)).collect();
    let text = telling.join(" ");
    let able = set!(
        "what i can do|what can i do|what it is you can|what is it you can|what can i ask|what could i ask|what should i ask|\
         what am i able to|what are you able to|what can you do|what you can do|commands do you|which commands|what commands|\
         what can i say|things can you do|stuff can you do|things you can do|stuff you can do|things do you do|\
         help can you|can you help with|can you actually do|are you capable|are you good for|can i use you|use you for"
    );
    // Questions in the form of a command.
    let led = set!("tell me|tell us|show me|explain|explain to me|let me know|remind me|say");
    let told = set!(
        "what you do|what youre able to|what you are able to|what you can help|what youre good|what you are good|\
         what youre capable|what you are capable|what youre for|what you can manage|what your abilities|what your commands",
    );
    let asked =
        led.begins(&text) && told.iter().any(|asks| text.contains(asks)) || able_to(&telling) || asked_for(keys);
    if supports(keys) {
        return true;
    }
    // Each pattern contains one of these words, which few messages do.
    let speaks = || telling.iter().any(|key| matches!(*key, "i" | "you" | "commands"));
    if keys.len() <= 12 && (asked || speaks() && able.iter().any(|asks| text.contains(asks))) {
        return true;
    }
    let how = set!(
        "how do i|how can i|how does|how do you|how to|how should i|how would i|how would one|how might i|how could i|\
         how do we|how am i supposed to|how am i meant to|how exactly do i|how is it that i|hows it work|\
         whats the best way to|what is the best way to|whats the way to|what do i say to|what do i need to say|\
         what should i say|what do i type|what do i press|can you explain how|can you show me how|can you tell me how|\
         show me how|tell me how|explain how|teach me how|i dont know how to|i dont understand how|\
         im not sure how to|is it possible to|are you able to|can you handle|do you support|do you do|\
         is there a way to|is there any way to|whats the difference between|\
         how many TASKS can|can i have more than|what happens if|what happens when",
    );
    let text_of = keys.join(" ");
    if let ["can" | "could" | "may", "i", verb, object @ ..] = keys
        && set!("add|create|make|delete|edit|change|complete|set|use").has(verb)
        && matches!(object, ["TASKS" | "multiple" | "several" | "many" | "more", ..] | ["a", "TASK", ..])
    {
        return true;
    }
    // The addressee is not the subject: "can you tell me how to solve equations".
    let lead = how.iter().filter(|lead| text_of.starts_with(*lead) && (lead.contains("how") || lead.contains("teach")));
    let skip = lead.map(|lead| lead.split(' ').count()).max().unwrap_or_default();
    let skip = if keys.starts_with(&["how", "many"]) { 0 } else { skip.min(keys.len()) };
    let about_tasks = keys[skip..].iter().any(|key| {
        set!(
            "TASK|TASKS|LIST|this|work|you|it|docket|due|date|add|delete|complete|undo|adding|deleting|marking|\
         completing|removing|changing|editing|something|things|finished|done|reminder|priority|tick|ticking|mark"
        )
        .has(key)
    });
    how.begins(&keys.join(" ")) && about_tasks && !foreign_noun(keys)
}

/// Returns true for general questions about abilities: "what sort of jobs are you able to handle".
fn able_to(keys: &[&str]) -> bool {
    const ENDS: Set =
        set("do|help|handle|manage|with|understand|for|me|us|offer|doing|helping|take|on|here|of|at|good|cope");
    let you = keys.iter().position(|key| matches!(*key, "you" | "youre"));
    let says = |key: &&str| set!("can|could|able|capable|good").has(key);
    let Some(you) = you.filter(|_| set!("what|which|whats").has(keys.first().copied().unwrap_or_default())) else {
        return false;
    };
    let near = keys[you.saturating_sub(1)..].iter().take(3).any(says);
    const NOUNS: Set = file_set!("abilities_nouns");
    const AFTER: Set = set("can|could|able|to|capable|of|good|at|a|actually|really|and|cant|or");
    near && keys[..you].iter().all(|key| NOUNS.has(key))
        && keys[you + 1..].iter().all(|key| ENDS.has(key) || AFTER.has(key))
}

/// Returns true for general questions about possible requests: "what sort of things could I ask you".
fn asked_for(keys: &[&str]) -> bool {
    const PLAIN: Set = file_set!("abilities_plain");
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    matches!(keys.first(), Some(&("what" | "whats" | "which")))
        && has(set!("i|we"))
        && has(set!("you|docket"))
        && has(set!("can|could|should|may|might|able|allowed"))
        && has(set!("ask|say|tell|give|use|get"))
        && keys.iter().all(|key| PLAIN.has(key))
}

/// Returns true for general questions about features: "can reminders repeat", "is there a way to have subtasks".
fn supports(keys: &[&str]) -> bool {
    const ASKS: Set = set("can|could|do|does|is|are|will|may|would|how|any|has|have");
    const FEATURES: Set = file_set!("abilities_features");
    const WORDS: Set = file_set!("abilities_words");
    let asks = keys.first().is_some_and(|first| ASKS.has(first));
    let several =
        keys.iter().any(|key| matches!(*key, "TASKS" | "there" | "support" | "supports" | "supported" | "handle"));
    let feature = keys.iter().any(|key| FEATURES.has(key));
    // "are any of them recurring" asks about the tasks themselves.
    const POSSIBLE: Set = set("way|ways|option|feature|possible|supported|allowed|available|able|support|supports");
    let lists = matches!(keys, ["is" | "are" | "any" | "has" | "have" | "how", ..] | ["do", "i" | "we", ..]);
    if lists && !keys.iter().any(|key| POSSIBLE.has(key)) {
        return false;
    }
    let only = keys.iter().all(|key| ASKS.has(key) || FEATURES.has(key) || WORDS.has(key));
    asks && several && feature && only && (3..=16).contains(&keys.len())
}
