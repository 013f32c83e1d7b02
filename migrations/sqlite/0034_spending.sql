-- What looking for memories by hand has taken of an embedding model: it counts to the person's share of the day (R-804). No words of
-- what was looked for.
CREATE TABLE memory_searches (
    user_id BLOB NOT NULL REFERENCES users (id),
    at TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    -- As in decisions.
    cost_micros INTEGER,
    PRIMARY KEY (user_id, at)
) STRICT, WITHOUT ROWID;

-- What a summary cost; as in decisions, NULL where no price was known, which is not 0.
ALTER TABLE summaries ADD COLUMN cost_micros INTEGER;
