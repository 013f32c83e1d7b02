-- As on PostgreSQL, where a sender may be about to take the card: whatever becomes of the task counts as a new version of it.
DROP TRIGGER tasks_reminded_update;
CREATE TRIGGER tasks_reminded_update AFTER UPDATE OF due_at, due_date, status, deleted_at ON tasks
WHEN NEW.due_at IS NOT OLD.due_at OR NEW.due_date IS NOT OLD.due_date OR NEW.status <> OLD.status
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) BEGIN
    UPDATE outbox SET version = version + 1,
        ready_at = CASE WHEN messages <> '[]' OR lease_until IS NOT NULL
            THEN coalesce(ready_at, CAST(unixepoch('subsec') * 1000 AS INTEGER)) ELSE ready_at END
    WHERE user_id = NEW.user_id AND task = NEW.number;
END;
