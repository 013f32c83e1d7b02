-- Tasks that only the program can place: hardly ever any, and looked for at each start.
CREATE INDEX tasks_unplaced ON tasks (place) WHERE place = '' AND purged_at IS NULL;
