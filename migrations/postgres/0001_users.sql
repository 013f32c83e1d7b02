-- Accounts, what lets them in, and the counters that each account's rows are numbered by.
CREATE TABLE users (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('user', 'admin')),
    zone TEXT NOT NULL,
    password_hash TEXT,
    disabled BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TIMESTAMPTZ NOT NULL
);

-- One row a user, locked by every write of theirs: that is what makes their sequences gap-free.
-- The row of the nil id is the head of the chain named system.
CREATE TABLE heads (
    user_id UUID PRIMARY KEY,
    event_seq BIGINT NOT NULL DEFAULT 0,
    record_seq BIGINT NOT NULL DEFAULT 0,
    record_hash BYTEA NOT NULL,
    task_number BIGINT NOT NULL DEFAULT 0,
    turn_ordinal BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE sessions (
    hash BYTEA PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE tokens (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    label TEXT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    revoked_at TIMESTAMPTZ
);
CREATE INDEX tokens_by_user ON tokens (user_id);

-- One-time links that create the first admin; only the newest is good.
CREATE TABLE setup_links (
    hash BYTEA PRIMARY KEY,
    created_at TIMESTAMPTZ NOT NULL
);

-- What is only counted: messages of senders who are not let in, or far over the limit (R-201).
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    count BIGINT NOT NULL
);
