-- Threads, their immutable messages, and the turns that answer them.
CREATE TABLE conversations (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    title TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX conversations_by_user ON conversations (user_id, updated_at);

CREATE TABLE turns (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    -- Order of acceptance among the user's turns.
    ordinal BIGINT NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('message', 'approval', 'mcp')),
    -- The approval that this turn carries out.
    approval_id UUID,
    client_key TEXT,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done')),
    -- Milliseconds since 1970 by the database's own clock.
    lease_until BIGINT,
    fence BIGINT NOT NULL DEFAULT 0,
    stop_asked BOOLEAN NOT NULL DEFAULT FALSE,
    accepted_at TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ,
    UNIQUE (user_id, client_key)
);
CREATE INDEX turns_by_conversation ON turns (conversation_id, ordinal);
CREATE INDEX turns_open ON turns (status, ordinal) WHERE status <> 'done';
CREATE INDEX turns_by_time ON turns (user_id, accepted_at);
-- One verdict, one turn: a second one for the same approval cannot be stored.
CREATE UNIQUE INDEX turns_of_approval ON turns (user_id, approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE messages (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL,
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    turn_id UUID NOT NULL REFERENCES turns (id),
    speaker TEXT NOT NULL CHECK (speaker IN ('user', 'assistant')),
    record_seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    UNIQUE (turn_id, speaker),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX messages_by_conversation ON messages (conversation_id, record_seq);

CREATE TRIGGER messages_refuse BEFORE UPDATE OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER messages_refuse_truncate BEFORE TRUNCATE ON messages EXECUTE FUNCTION refuse_change();
