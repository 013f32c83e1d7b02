-- The reminder in a chat follows its task: it is shown once more when the task is done, deleted or moved, whoever does it and why.
ALTER TABLE outbox ADD COLUMN task INTEGER;
UPDATE outbox SET task = json_extract(card, '$.task') WHERE card LIKE '{"about":"reminder"%';
CREATE INDEX outbox_reminded ON outbox (user_id, task) WHERE task IS NOT NULL;

CREATE TRIGGER tasks_reminded_update AFTER UPDATE OF due_at, due_date, status, deleted_at ON tasks
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.due_date IS NOT OLD.due_date OR NEW.status <> OLD.status
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
    UPDATE outbox SET version = version + 1, ready_at = coalesce(ready_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))
    WHERE user_id = NEW.user_id AND task = NEW.number AND messages <> '[]';
END;
