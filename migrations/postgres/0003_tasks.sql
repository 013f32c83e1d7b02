-- Tasks as they are, and every edit of them by anyone.
CREATE TABLE tasks (
    user_id UUID NOT NULL REFERENCES users (id),
    number BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed')),
    -- A civil date, or an instant with the zone in which it was meant: one of the two, or neither.
    due_date DATE,
    due_at TIMESTAMPTZ,
    due_zone TEXT,
    -- The day on which it is due, where it was set: what lists are narrowed by.
    due_day DATE,
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
    position DOUBLE PRECISION NOT NULL,
    version BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    completed_at TIMESTAMPTZ,
    deleted_at TIMESTAMPTZ,
    PRIMARY KEY (user_id, number),
    CHECK (due_date IS NULL OR due_at IS NULL),
    CHECK ((due_at IS NULL) = (due_zone IS NULL)),
    CHECK ((due_day IS NULL) = (due_date IS NULL AND due_at IS NULL))
);
CREATE INDEX tasks_by_position ON tasks (user_id, position, number);

CREATE TABLE changes (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL,
    task_number BIGINT NOT NULL,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    turn_id UUID,
    step INTEGER,
    idx INTEGER,
    undoes UUID,
    version_before BIGINT,
    version_after BIGINT NOT NULL,
    record_seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    FOREIGN KEY (user_id, task_number) REFERENCES tasks (user_id, number),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX changes_by_task ON changes (user_id, task_number, version_after);
CREATE INDEX changes_by_turn ON changes (user_id, turn_id) WHERE turn_id IS NOT NULL;
CREATE UNIQUE INDEX changes_undone_once ON changes (user_id, undoes) WHERE undoes IS NOT NULL;

CREATE TRIGGER changes_refuse BEFORE UPDATE OR DELETE ON changes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER changes_refuse_truncate BEFORE TRUNCATE ON changes EXECUTE FUNCTION refuse_change();
