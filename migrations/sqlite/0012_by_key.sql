-- Rows lie in the order of their keys: what belongs to one user, or to one turn, is found on a few pages instead of one page a row,
-- and each row is written into one tree instead of two. A table cannot be changed into such a one; so each is made anew, filled and
-- renamed, with the checking of foreign keys put off to the end of this file.

CREATE TABLE heads_by_key (
    user_id BLOB PRIMARY KEY,
    event_seq INTEGER NOT NULL DEFAULT 0,
    record_seq INTEGER NOT NULL DEFAULT 0,
    record_hash BLOB NOT NULL,
    task_number INTEGER NOT NULL DEFAULT 0,
    turn_ordinal INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO heads_by_key SELECT * FROM heads ORDER BY user_id;
DROP TABLE heads;
ALTER TABLE heads_by_key RENAME TO heads;

CREATE TABLE records_by_key (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    digest BLOB NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO records_by_key SELECT * FROM records ORDER BY user_id, seq;
DROP TABLE records;
ALTER TABLE records_by_key RENAME TO records;
CREATE TRIGGER records_refuse_update BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;
CREATE TRIGGER records_refuse_delete BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'records are append-only'); END;

CREATE TABLE bodies_by_key (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    -- Canonical JSON (RFC 8785); text, since its digest is over these very bytes.
    body TEXT NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO bodies_by_key SELECT * FROM bodies ORDER BY user_id, seq;
DROP TABLE bodies;
ALTER TABLE bodies_by_key RENAME TO bodies;
CREATE TRIGGER bodies_refuse_update BEFORE UPDATE ON bodies BEGIN SELECT RAISE(ABORT, 'bodies are append-only'); END;
CREATE TRIGGER bodies_refuse_delete BEFORE DELETE ON bodies
WHEN NOT EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = OLD.user_id AND e.seq = OLD.seq)
BEGIN SELECT RAISE(ABORT, 'a body is only deleted with an erasure record'); END;

CREATE TABLE tasks_by_key (
    user_id BLOB NOT NULL REFERENCES users (id),
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed')),
    -- A civil date, or an instant with the zone in which it was meant: one of the two, or neither.
    due_date TEXT,
    due_at TEXT,
    due_zone TEXT,
    -- The day on which it is due, where it was set: what lists are narrowed by.
    due_day TEXT,
    priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
    project TEXT,
    -- Lower-case project, so that a search disregards case.
    project_key TEXT,
    -- A JSON list of texts.
    tags TEXT NOT NULL,
    -- Lower-case tags with a line break before, between and after.
    tag_keys TEXT NOT NULL,
    recurrence TEXT,
    -- Lower-case title and description, for a search by parts of words.
    search TEXT NOT NULL,
    position REAL NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    completed_at TEXT,
    deleted_at TEXT,
    purged_at TEXT CHECK (
    purged_at IS NULL
    OR deleted_at IS NOT NULL AND title = '' AND description IS NULL AND project IS NULL AND project_key IS NULL
        AND tags = '[]' AND tag_keys = '' AND recurrence IS NULL AND search = ''),
    PRIMARY KEY (user_id, number),
    CHECK (due_date IS NULL OR due_at IS NULL),
    CHECK ((due_at IS NULL) = (due_zone IS NULL)),
    CHECK ((due_day IS NULL) = (due_date IS NULL AND due_at IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO tasks_by_key SELECT * FROM tasks ORDER BY user_id, number;
DROP TABLE tasks;
ALTER TABLE tasks_by_key RENAME TO tasks;
CREATE INDEX tasks_by_position ON tasks (user_id, position, number);
CREATE INDEX tasks_in_bin ON tasks (user_id, deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks BEGIN
    INSERT INTO search_blocks
    SELECT NEW.user_id, NEW.number / 16, group_concat(substr(search, 1, 240), char(10)), max(length(search) > 240)
    FROM tasks
    WHERE user_id = NEW.user_id AND number BETWEEN NEW.number / 16 * 16 AND NEW.number / 16 * 16 + 15
    ON CONFLICT (user_id, block) DO UPDATE SET search = excluded.search, cut = excluded.cut;
END;
CREATE TRIGGER tasks_search_update AFTER UPDATE OF search ON tasks WHEN NEW.search <> OLD.search BEGIN
    INSERT INTO search_blocks
    SELECT NEW.user_id, NEW.number / 16, group_concat(substr(search, 1, 240), char(10)), max(length(search) > 240)
    FROM tasks
    WHERE user_id = NEW.user_id AND number BETWEEN NEW.number / 16 * 16 AND NEW.number / 16 * 16 + 15
    ON CONFLICT (user_id, block) DO UPDATE SET search = excluded.search, cut = excluded.cut;
END;

CREATE TABLE changes_by_key (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL,
    task_number INTEGER NOT NULL,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    turn_id BLOB,
    step INTEGER,
    idx INTEGER,
    undoes BLOB,
    version_before INTEGER,
    version_after INTEGER NOT NULL,
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    FOREIGN KEY (user_id, task_number) REFERENCES tasks (user_id, number),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO changes_by_key SELECT * FROM changes ORDER BY id;
DROP TABLE changes;
ALTER TABLE changes_by_key RENAME TO changes;
CREATE INDEX changes_by_task ON changes (user_id, task_number, version_after);
CREATE INDEX changes_by_turn ON changes (user_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE UNIQUE INDEX changes_undone_once ON changes (user_id, undoes) WHERE undoes IS NOT NULL;
CREATE TRIGGER changes_refuse_update BEFORE UPDATE ON changes BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
CREATE TRIGGER changes_refuse_delete BEFORE DELETE ON changes BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;

CREATE TABLE turns_by_key (
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
) STRICT, WITHOUT ROWID;
INSERT INTO turns_by_key SELECT * FROM turns ORDER BY id;
DROP TABLE turns;
ALTER TABLE turns_by_key RENAME TO turns;
-- With the approval, so that the turns of a conversation are listed from the index alone.
CREATE INDEX turns_by_conversation ON turns (conversation_id, ordinal, approval_id);
CREATE INDEX turns_open ON turns (status, ordinal) WHERE status <> 'done';
CREATE INDEX turns_by_time ON turns (user_id, accepted_at);
CREATE UNIQUE INDEX turns_of_approval ON turns (user_id, approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE messages_by_key (
    id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    turn_id BLOB NOT NULL REFERENCES turns (id),
    speaker TEXT NOT NULL CHECK (speaker IN ('user', 'assistant')),
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (turn_id, speaker),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO messages_by_key SELECT * FROM messages ORDER BY turn_id, speaker;
DROP TABLE messages;
ALTER TABLE messages_by_key RENAME TO messages;
CREATE INDEX messages_by_conversation ON messages (conversation_id, record_seq);
CREATE TRIGGER messages_refuse_update BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER messages_refuse_delete BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;

CREATE TABLE steps_by_key (
    turn_id BLOB NOT NULL REFERENCES turns (id),
    number INTEGER NOT NULL,
    user_id BLOB NOT NULL,
    -- The engine's reply, or the stored calls of an approval.
    origin TEXT NOT NULL CHECK (origin IN ('engine', 'approval')),
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (turn_id, number),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO steps_by_key SELECT * FROM steps ORDER BY turn_id, number;
DROP TABLE steps;
ALTER TABLE steps_by_key RENAME TO steps;
CREATE TRIGGER steps_refuse_update BEFORE UPDATE ON steps BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END;
CREATE TRIGGER steps_refuse_delete BEFORE DELETE ON steps BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END;

CREATE TABLE invocations_by_key (
    turn_id BLOB NOT NULL REFERENCES turns (id),
    step INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    user_id BLOB NOT NULL,
    -- NULL where the name called is no tool.
    tool TEXT,
    called_as TEXT NOT NULL,
    risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
    status TEXT NOT NULL,
    -- The approval that it asked for (awaiting_approval) or ran under (any other status).
    approval_id BLOB,
    duration_ms INTEGER NOT NULL,
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (turn_id, step, idx),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO invocations_by_key SELECT * FROM invocations ORDER BY turn_id, step, idx;
DROP TABLE invocations;
ALTER TABLE invocations_by_key RENAME TO invocations;
CREATE INDEX invocations_of_approval ON invocations (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX invocations_by_tool ON invocations (user_id, tool);
CREATE TRIGGER invocations_refuse_update BEFORE UPDATE ON invocations BEGIN SELECT RAISE(ABORT, 'invocations are append-only'); END;
CREATE TRIGGER invocations_refuse_delete BEFORE DELETE ON invocations BEGIN SELECT RAISE(ABORT, 'invocations are append-only'); END;

CREATE TABLE decisions_by_key (
    turn_id BLOB PRIMARY KEY REFERENCES turns (id),
    user_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    engine TEXT NOT NULL,
    -- LLM_UNAVAILABLE where the rules stood in for a model.
    engine_cause TEXT,
    model TEXT,
    constitution TEXT NOT NULL,
    -- An approval that this turn asked for, or asked about again.
    asked_approval BLOB,
    tokens_in INTEGER,
    tokens_out INTEGER,
    -- Micro-units of the provider's currency; NULL is unknown, never 0.
    cost_micros INTEGER,
    duration_ms INTEGER NOT NULL,
    record_seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO decisions_by_key SELECT * FROM decisions ORDER BY turn_id;
DROP TABLE decisions;
ALTER TABLE decisions_by_key RENAME TO decisions;
CREATE INDEX decisions_by_user ON decisions (user_id, at, turn_id);
CREATE INDEX decisions_by_time ON decisions (at, turn_id);
CREATE TRIGGER decisions_refuse_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decisions_refuse_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;

CREATE TABLE events_by_key (
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    -- JSON.
    data TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO events_by_key SELECT * FROM events ORDER BY user_id, seq;
DROP TABLE events;
ALTER TABLE events_by_key RENAME TO events;

-- Nothing may point to a row that is not there.
CREATE TEMP TABLE dangling (reference TEXT CHECK (reference IS NULL));
INSERT INTO dangling SELECT "table" FROM pragma_foreign_key_check;
DROP TABLE dangling;
