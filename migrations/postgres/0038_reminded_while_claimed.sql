-- A task that is done while a sender is about to take its reminder: the row is locked until the change is committed, whether it has been
-- sent or not, so that the sender passes over it and reads what is true then.
CREATE OR REPLACE FUNCTION show_reminded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE outbox SET version = version + 1,
        ready_at = CASE WHEN messages <> '[]' OR lease_until IS NOT NULL
            THEN coalesce(ready_at, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)) ELSE ready_at END
    WHERE user_id = NEW.user_id AND task = NEW.number;
    RETURN NULL;
END $$;
