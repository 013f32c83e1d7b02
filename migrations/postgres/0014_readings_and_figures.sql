-- Who read whose turn: an admin's look at another's record is itself recorded (R-705).
CREATE TABLE readings (
    user_id UUID NOT NULL,
    record_seq BIGINT NOT NULL,
    turn_id UUID NOT NULL REFERENCES turns (id),
    reader UUID NOT NULL REFERENCES users (id),
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, record_seq),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX readings_by_turn ON readings (turn_id);
CREATE TRIGGER readings_refuse BEFORE UPDATE OR DELETE ON readings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER readings_refuse_truncate BEFORE TRUNCATE ON readings EXECUTE FUNCTION refuse_change();

-- All that the figures of the record are made of, so that no row of the tables themselves is visited for them.
DROP INDEX decisions_by_user;
CREATE INDEX decisions_by_user
    ON decisions (user_id, at, turn_id) INCLUDE (outcome, duration_ms, tokens_in, tokens_out, cost_micros);
DROP INDEX decisions_by_time;
CREATE INDEX decisions_by_time
    ON decisions (at, turn_id) INCLUDE (outcome, duration_ms, tokens_in, tokens_out, cost_micros);
CREATE INDEX invocations_by_time ON invocations (user_id, at, status, tool);
