-- When the account's password was last entered in the session; NULL if that is not known, and a protected action asks for it.
ALTER TABLE sessions ADD COLUMN authenticated_at TEXT;
UPDATE sessions SET authenticated_at = created_at;

-- The API token with which a code was requested, and the one whose code linked a chat: revoking the token ends both.
ALTER TABLE telegram_codes ADD COLUMN token_id BLOB REFERENCES tokens (id);
ALTER TABLE telegram_links ADD COLUMN token_id BLOB REFERENCES tokens (id);

-- Codes that were sent in a chat of another account: a question waits there for a yes until the code expires. Each user's newest only.
CREATE TABLE telegram_relinks (
    id BLOB PRIMARY KEY,
    -- The account of the code.
    user_id BLOB NOT NULL UNIQUE REFERENCES users (id),
    -- The account that the chat is linked with.
    linked_user_id BLOB NOT NULL REFERENCES users (id),
    chat_id INTEGER NOT NULL,
    -- How the person is called there.
    name TEXT NOT NULL,
    -- The hash of the code, which is spent.
    hash BLOB NOT NULL UNIQUE,
    token_id BLOB REFERENCES tokens (id),
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What an account's owner is to know of until they dismiss it.
CREATE TABLE account_notices (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    -- JSON: what happened.
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX account_notices_by_user ON account_notices (user_id, id);
