-- A rank that was given among overdue tasks of other days counts among them only: within its day such a task stands where it stood by
-- nature. The program places it, as it does tasks with a time.
UPDATE tasks SET place = ''
WHERE purged_at IS NULL AND rank IS NOT NULL
    AND substr(rank, 1, 8) <> COALESCE(replace(due_day, '-', ''), '99999999');
