-- What a search looks through first: the texts of sixteen tasks in one row, so that it need not visit each task. Kept by
-- triggers, whoever changes a task and why.
CREATE TABLE search_blocks (
    user_id UUID NOT NULL,
    -- The tasks with the numbers 16 × block to 16 × block + 15.
    block BIGINT NOT NULL,
    -- Their `search`, at most 240 characters of each, with line breaks between.
    search TEXT NOT NULL,
    -- Whether one of them is longer than that, so that nothing is certain about what the block does not hold.
    cut BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, block)
);

INSERT INTO search_blocks
SELECT user_id, number / 16, string_agg(substr(search, 1, 240), E'\n'), bool_or(length(search) > 240)
FROM tasks GROUP BY user_id, number / 16;

CREATE FUNCTION gather_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_blocks
    SELECT NEW.user_id, NEW.number / 16, string_agg(substr(search, 1, 240), E'\n'), bool_or(length(search) > 240)
    FROM tasks
    WHERE user_id = NEW.user_id AND number BETWEEN NEW.number / 16 * 16 AND NEW.number / 16 * 16 + 15
    ON CONFLICT (user_id, block) DO UPDATE SET search = excluded.search, cut = excluded.cut;
    RETURN NULL;
END
$$;

CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION gather_search();
CREATE TRIGGER tasks_search_update AFTER UPDATE OF search ON tasks FOR EACH ROW
    WHEN (NEW.search <> OLD.search) EXECUTE FUNCTION gather_search();
