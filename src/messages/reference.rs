//! The API page.

pub const API_DOCKET: &str = "API · Docket";
pub const API: &str = "API";
pub const HOW_TO_ASK: &str = "Requests are form fields, responses are JSON. Programs authenticate with a personal token, browsers with their \
     session. Create a token on the server with ";
pub const COMMAND_FOR_A_TOKEN: &str = "docket token create --user NAME --name LABEL";
pub const AN_ERROR_IS: &str = "Errors have the form ";
pub const WITH_ITS_STATUS: &str = " and an HTTP status. This reference is also available as ";
pub const OPENAPI_JSON: &str = "openapi.json";
pub const AGENTS_USE: &str = ". Agents use ";
pub const INSTEAD_OF_THIS: &str = " instead (Model Context Protocol, with the same tokens).";
pub const TYPES: &str = "Types";
pub const MAY_BE_LEFT_OUT: &str = " (optional)";
pub const ANSWERS_WITH: &str = "Returns ";
pub const NEEDS: &str = ". Needs ";
pub const ERRORS: &str = ". Errors: ";

pub fn one_of(join: &str) -> String {
    format!("One of {join}.")
}

pub const REPEAT_THE_FIELD_FOR_EACH: &str = "Repeat the field for each value.";
pub const TRUE_OR_FALSE: &str = "true or false.";
