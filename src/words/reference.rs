//! The page that describes the API.

pub const API_DOCKET: &str = "API · Docket";
pub const API: &str = "API";
pub const HOW_TO_ASK: &str = "Send form fields, get JSON. A program shows a personal token; a browser has its session. Make a token on the \
     server's machine with ";
pub const COMMAND_FOR_A_TOKEN: &str = "docket token create --user NAME --name LABEL";
pub const AN_ERROR_IS: &str = "An error is ";
pub const WITH_ITS_STATUS: &str = " with its status. Everything here is also \
     in ";
pub const OPENAPI_JSON: &str = "openapi.json";
pub const AGENTS_USE: &str = ". Agents use ";
pub const INSTEAD_OF_THIS: &str = " instead (Model Context Protocol, the same tokens).";
pub const TYPES: &str = "Types";
pub const MAY_BE_LEFT_OUT: &str = " (may be left out)";
pub const ANSWERS_WITH: &str = "Answers with ";
pub const NEEDS: &str = ". Needs ";
pub const ERRORS: &str = ". Errors: ";

pub fn one_of(join: &str) -> String {
    format!("One of {join}.")
}

pub const REPEAT_THE_FIELD_FOR_EACH: &str = "Repeat the field for each.";
pub const TRUE_OR_FALSE: &str = "true or false.";
