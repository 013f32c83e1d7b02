-- When the account's password was last entered in the session; NULL if that is not known, and a protected action asks for it.
ALTER TABLE sessions ADD COLUMN authenticated_at TIMESTAMPTZ;
UPDATE sessions SET authenticated_at = created_at;

-- The API token with which a code was requested, and the one whose code linked a chat: revoking the token ends both.
ALTER TABLE telegram_codes ADD COLUMN token_id UUID REFERENCES tokens (id);
ALTER TABLE telegram_links ADD COLUMN token_id UUID REFERENCES tokens (id);

-- Codes that were sent in a chat of another account: a question waits there for a yes until the code expires. Each user's newest only.
CREATE TABLE telegram_relinks (
    id UUID PRIMARY KEY,
    -- The account of the code.
    user_id UUID NOT NULL UNIQUE REFERENCES users (id),
    -- The account that the chat is linked with.
    linked_user_id UUID NOT NULL REFERENCES users (id),
    chat_id BIGINT NOT NULL,
    -- How the person is called there.
    name TEXT NOT NULL,
    -- The hash of the code, which is spent.
    hash BYTEA NOT NULL UNIQUE,
    token_id UUID REFERENCES tokens (id),
    expires_at TIMESTAMPTZ NOT NULL
);

-- What an account's owner is to know of until they dismiss it.
CREATE TABLE account_notices (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    -- JSON: what happened.
    body TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX account_notices_by_user ON account_notices (user_id, id);
