-- Where a task stands in lists by day: its rank by hand or by nature, digits that sort as text, so that a list is read page by page
-- in the order in which it is shown. The position of before was the number.
DROP INDEX tasks_by_position;
ALTER TABLE tasks DROP COLUMN position;
ALTER TABLE tasks ADD COLUMN place TEXT NOT NULL DEFAULT '';
-- Tasks with a time get theirs from the program, which knows the zones by the same rules as ever.
UPDATE tasks SET place = COALESCE(
    rank,
    COALESCE(replace(due_day, '-', ''), '99999999')
        || '0000'
        || (3 - priority)
        || printf('%012d', number))
WHERE purged_at IS NULL AND (rank IS NOT NULL OR due_at IS NULL);
CREATE INDEX tasks_by_place ON tasks (user_id, status, place) WHERE deleted_at IS NULL;
