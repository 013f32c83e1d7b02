-- What listeners hear, and what is to be sent outside.
CREATE TABLE events (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- JSON.
    data TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT;

CREATE TABLE outbox (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    channel TEXT NOT NULL,
    -- JSON.
    payload TEXT NOT NULL,
    due_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    sent_at TEXT,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE sent_at IS NULL;
