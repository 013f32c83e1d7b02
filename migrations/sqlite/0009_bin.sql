-- Tasks that lay in the bin too long: the row stays, so that its number is never given again, and nothing of what it said.
ALTER TABLE tasks ADD COLUMN purged_at TEXT CHECK (
    purged_at IS NULL
    OR deleted_at IS NOT NULL AND title = '' AND description IS NULL AND project IS NULL AND project_key IS NULL
        AND tags = '[]' AND tag_keys = '' AND recurrence IS NULL AND search = '');
CREATE INDEX tasks_in_bin ON tasks (user_id, deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

-- When work that comes round by the clock was last taken up, so that of several processes one does it.
CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    claimed_at TEXT NOT NULL
) STRICT;
