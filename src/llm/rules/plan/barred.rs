//! Turns whose token lacks the scope to read tasks. Only requested lookups are made, and a part that needs one is
//! answered with the refusal (R-1103).

use crate::domain::tool::CallResult;
use crate::llm::Request;
use crate::llm::rules::read::intent::Part;

/// Returns true if tasks may be read, so that numbers are looked up before they are used.
pub(in crate::llm::rules) fn may_read(request: &Request) -> bool {
    !request.barred.iter().any(|tool| tool.reads())
}

/// Returns the reason for a refused lookup, if the token lacks its scope.
pub(in crate::llm::rules) fn refusal(results: &[CallResult]) -> Option<String> {
    let refused = results.iter().find(|result| result.value["scope"].is_string())?;
    refused.value["message"].as_str().map(str::to_owned)
}

/// Replaces parts that need a lookup by the refusal, once. List parts stay, since their own calls are refused.
pub(in crate::llm::rules) fn without_lookups(parts: &[Part], why: &str, needs: impl Fn(&Part) -> bool) -> Vec<Part> {
    let mut said = false;
    let kept = |part: &Part| {
        if matches!(part, Part::List(_)) || !needs(part) {
            return Some(part.clone());
        }
        (!std::mem::replace(&mut said, true)).then(|| Part::Say(why.to_owned()))
    };
    parts.iter().filter_map(kept).collect()
}
