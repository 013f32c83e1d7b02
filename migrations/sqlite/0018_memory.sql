-- Memories: what summaries of older messages came to. The table of 0007 was never written to; it is made anew in the order of its
-- owners, so that one person's memories, which every search reads, lie on a few pages.

DROP TABLE memories;
CREATE TABLE memories (
    user_id BLOB NOT NULL REFERENCES users (id),
    id BLOB NOT NULL,
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    -- The first and the last message that it was made from, by record number.
    first_record INTEGER NOT NULL,
    last_record INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- Its words for searches, as hashes with their counts: eight bytes a word.
    terms BLOB NOT NULL,
    -- Which embedder made the vector: vectors of different embedders are never compared. Empty while there is none.
    embedder TEXT NOT NULL,
    -- A byte a number.
    vector BLOB NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (user_id, id),
    CHECK (first_record <= last_record),
    CHECK ((embedder = '') = (length(vector) = 0))
) STRICT, WITHOUT ROWID;
-- What another embedder has made is found without reading everyone's.
CREATE INDEX memories_by_embedder ON memories (embedder);

-- Which messages were summarised, by what, and what that took. These rows hold no texts and outlive what was forgotten: else it
-- would be remembered once more.
CREATE TABLE summaries (
    user_id BLOB NOT NULL REFERENCES users (id),
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    first_record INTEGER NOT NULL,
    last_record INTEGER NOT NULL,
    -- NULL where code made it, or where it was passed over since memories were off.
    model TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    at TEXT NOT NULL,
    PRIMARY KEY (conversation_id, first_record),
    CHECK (first_record <= last_record)
) STRICT, WITHOUT ROWID;
CREATE INDEX summaries_by_user ON summaries (user_id, at);

-- Of whom nothing is remembered, by their own choice (R-504).
CREATE TABLE memory_off (
    user_id BLOB PRIMARY KEY REFERENCES users (id),
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
