-- Accounts, what lets them in, and the counters that each account's rows are numbered by.
CREATE TABLE users (
    id BLOB PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('user', 'admin')),
    zone TEXT NOT NULL,
    password_hash TEXT,
    disabled INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
) STRICT;

-- One row a user, locked by every write of theirs: that is what makes their sequences gap-free.
-- The row of the nil id is the head of the chain named system.
CREATE TABLE heads (
    user_id BLOB PRIMARY KEY,
    event_seq INTEGER NOT NULL DEFAULT 0,
    record_seq INTEGER NOT NULL DEFAULT 0,
    record_hash BLOB NOT NULL,
    task_number INTEGER NOT NULL DEFAULT 0,
    turn_ordinal INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE tokens (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    label TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id);

-- One-time links that create the first admin; only the newest is good.
CREATE TABLE setup_links (
    hash BLOB PRIMARY KEY,
    created_at TEXT NOT NULL
) STRICT;

-- What is only counted: messages of senders who are not let in, or far over the limit (R-201).
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT;
