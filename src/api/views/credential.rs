//! Credentials in words: the token or session behind an action.

use crate::domain::credential::Credential;
use crate::domain::user::{Door, Scope, TokenInfo, TokenKind};
use crate::messages::{access, turn_detail as messages};

/// Describes a credential as the end of a sentence: `by token “phone”`, `in the browser session of Chrome on Linux`.
pub fn credential(by: &Credential) -> String {
    match (by.door, &by.token, &by.device) {
        (Door::Api, Some(token), _) => messages::by_token(token),
        (Door::Api, None, _) => messages::BY_A_TOKEN.to_owned(),
        (Door::Mcp, Some(token), _) => messages::by_an_agents_token(token),
        (Door::Mcp, None, _) => messages::BY_AN_AGENTS_TOKEN.to_owned(),
        (Door::Web, _, Some(device)) => messages::in_the_session_of(device),
        (Door::Web, _, None) => messages::IN_A_SESSION.to_owned(),
        (Door::Telegram, ..) => messages::ON_TELEGRAM.to_owned(),
        (Door::Cli, ..) => messages::ON_THE_COMMAND_LINE.to_owned(),
    }
}

/// Returns the notice for a chat token that lacks scopes which a chat now needs; `None` if it lacks none.
pub fn chat_notice(token: &TokenInfo) -> Option<String> {
    let chats = token.kind == TokenKind::Personal && token.revoked_at.is_none() && token.scopes.contains(&Scope::Chat);
    let powers = [
        (Scope::TasksRead, access::READ_TASKS),
        (Scope::TasksWrite, access::WRITE_TASKS),
        (Scope::TasksDelete, access::DELETE_TASKS),
    ];
    let missing = powers.into_iter().filter(|(scope, _)| chats && !token.scopes.contains(scope));
    let (scopes, powers): (Vec<&str>, Vec<&str>) = missing.map(|(scope, power)| (scope.as_str(), power)).unzip();
    (!scopes.is_empty()).then(|| access::chat_lacks(&powers, &scopes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::id::TokenId;
    use crate::domain::time::Timestamp;

    #[test]
    fn chat_token_without_task_scopes_shows_a_notice() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let token = |kind: TokenKind, scopes: &[Scope], revoked: bool| TokenInfo {
            token_id: TokenId::new(),
            label: "phone".into(),
            kind,
            scopes: scopes.to_vec(),
            budget: 0,
            created_at: now.clone(),
            revoked_at: revoked.then(|| now.clone()),
        };
        let all = [Scope::Chat, Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete];
        let personal = TokenKind::Personal;
        for (token, told) in [
            (token(personal, &[Scope::Chat], false), Some("read tasks, add or change tasks or delete tasks")),
            (token(personal, &all[..3], false), Some("no longer delete tasks")),
            (token(personal, &all, false), None),
            (token(personal, &all[1..3], false), None),
            (token(personal, &[Scope::Chat], true), None),
            (token(TokenKind::Agent, &[Scope::Chat], false), None),
        ] {
            let notice = chat_notice(&token);
            assert_eq!(notice.is_some(), told.is_some(), "{token:?}");
            let said = notice.unwrap_or_default();
            assert!(said.contains(told.unwrap_or_default()), "{said}");
        }
    }

    #[test]
    fn a_credential_is_named_by_its_token_or_its_browser() {
        let by = |door: Door| Credential::of(door);
        let token = |door: Door| Credential { token: Some("phone".into()), ..Credential::of(door) };
        let browser = Credential { device: Some("Chrome on Linux".into()), ..Credential::of(Door::Web) };
        for (by, said) in [
            (token(Door::Api), "by token “phone”"),
            (by(Door::Api), "by a token"),
            (token(Door::Mcp), "by the agent’s token “phone”"),
            (browser, "in the browser session of Chrome on Linux"),
            (by(Door::Web), "in a browser session"),
            (by(Door::Telegram), "on Telegram"),
            (by(Door::Cli), "on the command line"),
        ] {
            assert_eq!(credential(&by), said);
        }
    }
}
