-- What listeners hear, and what is to be sent outside.
CREATE TABLE events (
    user_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- JSON.
    data TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, seq)
);

CREATE TABLE outbox (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    channel TEXT NOT NULL,
    -- JSON.
    payload TEXT NOT NULL,
    due_at TIMESTAMPTZ NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    sent_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE sent_at IS NULL;
