-- What each kind of asker may have a tool do: run (no row), ask or deny. Rules of the nil id are everyone's (R-401).
CREATE TABLE policies (
    user_id UUID NOT NULL,
    asker TEXT NOT NULL CHECK (asker IN ('agent', 'rules', 'mcp')),
    tool TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (rule IN ('ask', 'deny')),
    changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, asker, tool)
);

-- One-time links that let somebody choose a password: an invitation, or a reset by an admin. Of each account only the newest is good.
CREATE TABLE account_links (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    hash BYTEA NOT NULL UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('invite', 'reset')),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);

-- When somebody was last here, to some minutes, and with what.
ALTER TABLE users ADD COLUMN seen_at TIMESTAMPTZ;
ALTER TABLE tokens ADD COLUMN seen_at TIMESTAMPTZ;
ALTER TABLE sessions ADD COLUMN seen_at TIMESTAMPTZ;
ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';

-- Tries to sign in that failed, or are under way: by account and address, by account, and by address. What was typed or where it
-- came from is kept as a digest only.
CREATE TABLE sign_in_tries (
    key BYTEA PRIMARY KEY,
    failures BIGINT NOT NULL,
    tried_at TIMESTAMPTZ NOT NULL,
    -- Until then no further try is looked at.
    closed_until TIMESTAMPTZ NOT NULL,
    -- When a try last succeeded; only by account and address.
    good_at TIMESTAMPTZ
);
CREATE INDEX sign_in_tries_by_time ON sign_in_tries (tried_at);

-- How fast messages and calls come from an address, which is kept as a digest only: one that came at its full pace would be all
-- used up at that moment.
CREATE TABLE address_paces (
    key BYTEA PRIMARY KEY,
    used_until TIMESTAMPTZ NOT NULL
);
CREATE INDEX address_paces_by_time ON address_paces (used_until);
