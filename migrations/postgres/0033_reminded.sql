-- The reminder in a chat follows its task: it is shown once more when the task is done, deleted or moved, whoever does it and why.
ALTER TABLE outbox ADD COLUMN task BIGINT;
UPDATE outbox SET task = (card::json ->> 'task')::bigint WHERE card LIKE '{"about":"reminder"%';
CREATE INDEX outbox_reminded ON outbox (user_id, task) WHERE task IS NOT NULL;

CREATE FUNCTION show_reminded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE outbox SET version = version + 1,
        ready_at = coalesce(ready_at, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))
    WHERE user_id = NEW.user_id AND task = NEW.number AND messages <> '[]';
    RETURN NULL;
END $$;
CREATE TRIGGER tasks_reminded_update AFTER UPDATE OF due_at, due_date, status, deleted_at ON tasks FOR EACH ROW
WHEN (NEW.due_at IS DISTINCT FROM OLD.due_at OR NEW.due_date IS DISTINCT FROM OLD.due_date OR NEW.status <> OLD.status
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL)) EXECUTE FUNCTION show_reminded();
