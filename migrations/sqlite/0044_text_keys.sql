-- Keys of names and searches no longer depend on how a text is composed, and searches no longer on its accents. Only the program computes
-- such keys: it fills those of the tasks marked here, whose text is not plain ASCII.
UPDATE tasks SET search = ''
WHERE purged_at IS NULL AND length(CAST(search || tags || COALESCE(project, '') AS BLOB)) <> length(search || tags || COALESCE(project, ''));
-- Tasks without keys: hardly ever any, and looked for at each start.
CREATE INDEX tasks_unkeyed ON tasks (user_id, number) WHERE search = '' AND purged_at IS NULL;
