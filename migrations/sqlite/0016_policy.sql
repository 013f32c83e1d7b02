-- What each kind of asker may have a tool do: run (no row), ask or deny. Rules of the nil id are everyone's (R-401).
CREATE TABLE policies (
    user_id BLOB NOT NULL,
    asker TEXT NOT NULL CHECK (asker IN ('agent', 'rules', 'mcp')),
    tool TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (rule IN ('ask', 'deny')),
    changed_at TEXT NOT NULL,
    PRIMARY KEY (user_id, asker, tool)
) STRICT, WITHOUT ROWID;

-- One-time links that let somebody choose a password: an invitation, or a reset by an admin. Of each account only the newest is good.
CREATE TABLE account_links (
    user_id BLOB PRIMARY KEY REFERENCES users (id),
    hash BLOB NOT NULL UNIQUE,
    purpose TEXT NOT NULL CHECK (purpose IN ('invite', 'reset')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When somebody was last here, to some minutes, and with what.
ALTER TABLE users ADD COLUMN seen_at TEXT;
ALTER TABLE tokens ADD COLUMN seen_at TEXT;
ALTER TABLE sessions ADD COLUMN seen_at TEXT;
ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';

-- Tries to sign in that failed, or are under way: by account and address, by account, and by address. What was typed or where it
-- came from is kept as a digest only.
CREATE TABLE sign_in_tries (
    key BLOB PRIMARY KEY,
    failures INTEGER NOT NULL,
    tried_at TEXT NOT NULL,
    -- Until then no further try is looked at.
    closed_until TEXT NOT NULL,
    -- When a try last succeeded; only by account and address.
    good_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tries_by_time ON sign_in_tries (tried_at);

-- How fast messages and calls come from an address, which is kept as a digest only: one that came at its full pace would be all
-- used up at that moment.
CREATE TABLE address_paces (
    key BLOB PRIMARY KEY,
    used_until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX address_paces_by_time ON address_paces (used_until);
