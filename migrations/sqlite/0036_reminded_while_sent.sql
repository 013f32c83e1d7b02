-- A task that is done while its reminder is on its way to the chat: the reminder stands in no message yet, and is shown once more when
-- it has arrived.
DROP TRIGGER tasks_reminded_update;
CREATE TRIGGER tasks_reminded_update AFTER UPDATE OF due_at, due_date, status, deleted_at ON tasks
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.due_date IS NOT OLD.due_date OR NEW.status <> OLD.status
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
    UPDATE outbox SET version = version + 1, ready_at = coalesce(ready_at, CAST(unixepoch('subsec') * 1000 AS INTEGER))
    WHERE user_id = NEW.user_id AND task = NEW.number AND (messages <> '[]' OR lease_until IS NOT NULL);
END;
