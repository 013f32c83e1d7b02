-- What a search looks through first: the texts of sixteen tasks in one row, so that it need not visit each task. Kept by
-- triggers, whoever changes a task and why.
CREATE TABLE search_blocks (
    user_id BLOB NOT NULL,
    -- The tasks with the numbers 16 × block to 16 × block + 15.
    block INTEGER NOT NULL,
    -- Their `search`, at most 240 characters of each, with line breaks between.
    search TEXT NOT NULL,
    -- Whether one of them is longer than that, so that nothing is certain about what the block does not hold.
    cut INTEGER NOT NULL,
    PRIMARY KEY (user_id, block)
) STRICT, WITHOUT ROWID;

INSERT INTO search_blocks
SELECT user_id, number / 16, group_concat(substr(search, 1, 240), char(10)), max(length(search) > 240)
FROM tasks GROUP BY user_id, number / 16;

CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks BEGIN
    INSERT INTO search_blocks
    SELECT NEW.user_id, NEW.number / 16, group_concat(substr(search, 1, 240), char(10)), max(length(search) > 240)
    FROM tasks
    WHERE user_id = NEW.user_id AND number BETWEEN NEW.number / 16 * 16 AND NEW.number / 16 * 16 + 15
    ON CONFLICT (user_id, block) DO UPDATE SET search = excluded.search, cut = excluded.cut;
END;

CREATE TRIGGER tasks_search_update AFTER UPDATE OF search ON tasks WHEN NEW.search <> OLD.search BEGIN
    INSERT INTO search_blocks
    SELECT NEW.user_id, NEW.number / 16, group_concat(substr(search, 1, 240), char(10)), max(length(search) > 240)
    FROM tasks
    WHERE user_id = NEW.user_id AND number BETWEEN NEW.number / 16 * 16 AND NEW.number / 16 * 16 + 15
    ON CONFLICT (user_id, block) DO UPDATE SET search = excluded.search, cut = excluded.cut;
END;
