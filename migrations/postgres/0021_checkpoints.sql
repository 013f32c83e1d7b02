-- Checkpoints: now and then the ends of all chains as the root of a Merkle tree, signed with a key that is not in the database (R-704).
CREATE TABLE checkpoints (
    -- 1, 2, 3 …
    number BIGINT NOT NULL PRIMARY KEY,
    -- A signed note, which tells all the rest.
    note TEXT NOT NULL
);

-- The ends of the chains that grew since the checkpoint before; those of the others are as they were.
CREATE TABLE checkpoint_heads (
    number BIGINT NOT NULL REFERENCES checkpoints (number),
    user_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (user_id, number)
);
CREATE INDEX checkpoint_heads_by_number ON checkpoint_heads (number);

CREATE TRIGGER checkpoints_refuse BEFORE UPDATE OR DELETE ON checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoints_refuse_truncate BEFORE TRUNCATE ON checkpoints EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoint_heads_refuse BEFORE UPDATE OR DELETE ON checkpoint_heads FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoint_heads_refuse_truncate BEFORE TRUNCATE ON checkpoint_heads EXECUTE FUNCTION refuse_change();
