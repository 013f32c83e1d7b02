-- The per-user hash chain, and apart from it the salted texts that it vouches for (R-704).
CREATE TABLE records (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    digest BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT;

CREATE TABLE bodies (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    -- Canonical JSON (RFC 8785); text, since its digest is over these very bytes.
    body TEXT NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, seq) REFERENCES records (user_id, seq)
) STRICT;

-- Names the body that may be deleted and the record that says so.
CREATE TABLE erasures (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    record_seq INTEGER NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT;

CREATE TRIGGER records_refuse_update BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
CREATE TRIGGER records_refuse_delete BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
CREATE TRIGGER bodies_refuse_update BEFORE UPDATE ON bodies BEGIN SELECT RAISE(ABORT, 'bodies are append-only'); END;
CREATE TRIGGER bodies_refuse_delete BEFORE DELETE ON bodies
WHEN NOT EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = OLD.user_id AND e.seq = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'a body is only deleted with an erasure record'); END;
