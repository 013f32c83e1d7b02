-- The index of lists covers the columns by which tasks are filtered, sorted and counted: a row with long notes is read only if it is shown.
DROP INDEX tasks_by_place;
CREATE INDEX tasks_by_place ON tasks (user_id, status, place, number, rank, due_day, due_date, due_at, completed_at, priority, project_key,
    project, tag_keys, tags, deleted_at) WHERE deleted_at IS NULL;
