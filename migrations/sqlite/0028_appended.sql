-- A user's records, their bodies and events only ever grow at their end, which lies in the middle of a tree that is ordered by user:
-- each few rows a full leaf was shared out among its neighbours, and all of them were written anew. Here rows go to the end of their
-- table, where those of many users share a page, and only their keys lie by user. Each table is made anew, filled and renamed, with
-- the checking of foreign keys put off to the end of this file.

CREATE TABLE records_by_age (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    digest BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT;
INSERT INTO records_by_age SELECT * FROM records ORDER BY user_id, seq;
DROP TABLE records;
ALTER TABLE records_by_age RENAME TO records;
CREATE TRIGGER records_refuse_update BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
CREATE TRIGGER records_refuse_delete BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;

CREATE TABLE bodies_by_age (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    -- Canonical JSON (RFC 8785); text, since its digest is over these very bytes.
    body TEXT NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, seq) REFERENCES records (user_id, seq)
) STRICT;
INSERT INTO bodies_by_age SELECT * FROM bodies ORDER BY user_id, seq;
DROP TABLE bodies;
ALTER TABLE bodies_by_age RENAME TO bodies;
CREATE TRIGGER bodies_refuse_update BEFORE UPDATE ON bodies BEGIN SELECT RAISE(ABORT, 'bodies are append-only'); END;
CREATE TRIGGER bodies_refuse_delete BEFORE DELETE ON bodies
WHEN NOT EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = OLD.user_id AND e.seq = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'a body is only deleted with an erasure record'); END;

CREATE TABLE events_by_age (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- JSON.
    data TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT;
INSERT INTO events_by_age SELECT * FROM events ORDER BY user_id, seq;
DROP TABLE events;
ALTER TABLE events_by_age RENAME TO events;

-- Nothing may point to a row that is not there.
CREATE TEMP TABLE dangling (reference TEXT CHECK (reference IS NULL));
INSERT INTO dangling SELECT "table" FROM pragma_foreign_key_check;
DROP TABLE dangling;
