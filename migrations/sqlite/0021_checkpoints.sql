-- Checkpoints: now and then the ends of all chains as the root of a Merkle tree, signed with a key that is not in the database (R-704).
CREATE TABLE checkpoints (
    -- 1, 2, 3 …
    number INTEGER NOT NULL PRIMARY KEY,
    -- A signed note, which tells all the rest.
    note TEXT NOT NULL
) STRICT;

-- The ends of the chains that grew since the checkpoint before; those of the others are as they were.
CREATE TABLE checkpoint_heads (
    number INTEGER NOT NULL REFERENCES checkpoints (number),
    user_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoint_heads_by_number ON checkpoint_heads (number);

CREATE TRIGGER checkpoints_refuse_update BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER checkpoints_refuse_delete BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER checkpoint_heads_refuse_update BEFORE UPDATE ON checkpoint_heads
BEGIN SELECT RAISE(ABORT, 'checkpoint_heads are append-only'); END;
CREATE TRIGGER checkpoint_heads_refuse_delete BEFORE DELETE ON checkpoint_heads
BEGIN SELECT RAISE(ABORT, 'checkpoint_heads are append-only'); END;
