//! Turns whose token does not let tasks be read: nothing is looked up that nobody asked for, and a part that cannot do without a
//! lookup is answered by why that was refused (R-1103).

use super::intent::Part;
use crate::domain::tool::CallResult;
use crate::llm::Request;

/// Returns true if tasks may be read: then a number is looked up before anything is done with it.
pub(super) fn may_read(request: &Request) -> bool {
    !request.barred.iter().any(|tool| tool.reads())
}

/// Returns why a lookup was refused, if the token behind the turn lacks the scope for it.
pub(super) fn refusal(results: &[CallResult]) -> Option<String> {
    let refused = results.iter().find(|result| result.value["scope"].is_string())?;
    refused.value["message"].as_str().map(str::to_owned)
}

/// The parts, with those that need a lookup replaced by why it was refused; lists are answered by their own calls.
pub(super) fn without_lookups(parts: &[Part], why: &str, needs: impl Fn(&Part) -> bool) -> Vec<Part> {
    let mut said = false;
    let kept = |part: &Part| {
        if matches!(part, Part::List(_)) || !needs(part) {
            return Some(part.clone());
        }
        (!std::mem::replace(&mut said, true)).then(|| Part::Say(why.to_owned()))
    };
    parts.iter().filter_map(kept).collect()
}
