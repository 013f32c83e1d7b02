-- A task that is done while its reminder is on its way to the chat: the reminder stands in no message yet, and is shown once more when
-- it has arrived.
CREATE OR REPLACE FUNCTION show_reminded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE outbox SET version = version + 1,
        ready_at = coalesce(ready_at, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))
    WHERE user_id = NEW.user_id AND task = NEW.number AND (messages <> '[]' OR lease_until IS NOT NULL);
    RETURN NULL;
END $$;
