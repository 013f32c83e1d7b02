-- Tasks as they are, and every edit of them by anyone.
CREATE TABLE tasks (
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
    PRIMARY KEY (user_id, number),
    CHECK (due_date IS NULL OR due_at IS NULL),
    CHECK ((due_at IS NULL) = (due_zone IS NULL)),
    CHECK ((due_day IS NULL) = (due_date IS NULL AND due_at IS NULL))
) STRICT;
CREATE INDEX tasks_by_position ON tasks (user_id, position, number);

CREATE TABLE changes (
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
) STRICT;
CREATE INDEX changes_by_task ON changes (user_id, task_number, version_after);
CREATE INDEX changes_by_turn ON changes (user_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE UNIQUE INDEX changes_undone_once ON changes (user_id, undoes) WHERE undoes IS NOT NULL;

CREATE TRIGGER changes_refuse_update BEFORE UPDATE ON changes BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
CREATE TRIGGER changes_refuse_delete BEFORE DELETE ON changes BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
