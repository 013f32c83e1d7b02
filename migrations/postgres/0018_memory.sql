-- Memories: what summaries of older messages came to. The table of 0007 was never written to; it is made anew, keyed by its
-- owners, since every search reads all of one person's.

DROP TABLE memories;
CREATE TABLE memories (
    user_id UUID NOT NULL REFERENCES users (id),
    id UUID NOT NULL,
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    -- The first and the last message that it was made from, by record number.
    first_record BIGINT NOT NULL,
    last_record BIGINT NOT NULL,
    text TEXT NOT NULL,
    -- Its words for searches, as hashes with their counts: eight bytes a word.
    terms BYTEA NOT NULL,
    -- Which embedder made the vector: vectors of different embedders are never compared. Empty while there is none.
    embedder TEXT NOT NULL,
    -- A byte a number.
    vector BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, id),
    CHECK (first_record <= last_record),
    CHECK ((embedder = '') = (length(vector) = 0))
);
-- What another embedder has made is found without reading everyone's.
CREATE INDEX memories_by_embedder ON memories (embedder);

-- Which messages were summarised, by what, and what that took. These rows hold no texts and outlive what was forgotten: else it
-- would be remembered once more.
CREATE TABLE summaries (
    user_id UUID NOT NULL REFERENCES users (id),
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    first_record BIGINT NOT NULL,
    last_record BIGINT NOT NULL,
    -- NULL where code made it, or where it was passed over since memories were off.
    model TEXT,
    tokens_in BIGINT,
    tokens_out BIGINT,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (conversation_id, first_record),
    CHECK (first_record <= last_record)
);
CREATE INDEX summaries_by_user ON summaries (user_id, at);

-- Of whom nothing is remembered, by their own choice (R-504).
CREATE TABLE memory_off (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    at TIMESTAMPTZ NOT NULL
);
