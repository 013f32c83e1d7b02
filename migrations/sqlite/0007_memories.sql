-- Summaries of older messages; the messages themselves stay as they are (R-501).
CREATE TABLE memories (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    -- The first and the last message that it was made from, by record number.
    first_record INTEGER NOT NULL,
    last_record INTEGER NOT NULL,
    summary TEXT NOT NULL,
    -- Which embedder made the vector: vectors of different embedders are never compared.
    embedder TEXT,
    vector BLOB,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX memories_by_user ON memories (user_id, created_at);
