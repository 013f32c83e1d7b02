-- Summaries of older messages; the messages themselves stay as they are (R-501).
CREATE TABLE memories (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    -- The first and the last message that it was made from, by record number.
    first_record BIGINT NOT NULL,
    last_record BIGINT NOT NULL,
    summary TEXT NOT NULL,
    -- Which embedder made the vector: vectors of different embedders are never compared.
    embedder TEXT,
    vector BYTEA,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX memories_by_user ON memories (user_id, created_at);
