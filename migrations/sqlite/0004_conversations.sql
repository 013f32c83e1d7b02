-- Threads, their immutable messages, and the turns that answer them.
CREATE TABLE conversations (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX conversations_by_user ON conversations (user_id, updated_at);

CREATE TABLE turns (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    -- Order of acceptance among the user's turns.
    ordinal INTEGER NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('message', 'approval', 'mcp')),
    -- The approval that this turn carries out.
    approval_id BLOB,
    client_key TEXT,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done')),
    -- Milliseconds since 1970 by the database's own clock.
    lease_until INTEGER,
    fence INTEGER NOT NULL DEFAULT 0,
    stop_asked INTEGER NOT NULL DEFAULT 0,
    accepted_at TEXT NOT NULL,
    finished_at TEXT,
    UNIQUE (user_id, client_key)
) STRICT;
CREATE INDEX turns_by_conversation ON turns (conversation_id, ordinal);
CREATE INDEX turns_open ON turns (status, ordinal) WHERE status <> 'done';
CREATE INDEX turns_by_time ON turns (user_id, accepted_at);
-- One verdict, one turn: a second one for the same approval cannot be stored.
CREATE UNIQUE INDEX turns_of_approval ON turns (user_id, approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE messages (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    turn_id BLOB NOT NULL REFERENCES turns (id),
    speaker TEXT NOT NULL CHECK (speaker IN ('user', 'assistant')),
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (turn_id, speaker),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation_id, record_seq);

CREATE TRIGGER messages_refuse_update BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER messages_refuse_delete BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
