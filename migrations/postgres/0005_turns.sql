-- What happened in a turn: model replies, calls, requests for a yes, and the one decision.
CREATE TABLE steps (
    turn_id UUID NOT NULL REFERENCES turns (id),
    number INTEGER NOT NULL,
    user_id UUID NOT NULL,
    -- The engine's reply, or the stored calls of an approval.
    origin TEXT NOT NULL CHECK (origin IN ('engine', 'approval')),
    record_seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (turn_id, number),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);

CREATE TABLE approvals (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    conversation_id UUID NOT NULL REFERENCES conversations (id),
    -- The turn and the step that asked.
    turn_id UUID NOT NULL REFERENCES turns (id),
    step INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'void')),
    record_seq BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    decided_at TIMESTAMPTZ,
    decided_by UUID,
    decided_via TEXT,
    -- The record of the verdict, whose body holds the reason.
    decided_seq BIGINT,
    UNIQUE (turn_id, step),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX approvals_pending ON approvals (status, expires_at) WHERE status = 'pending';
CREATE INDEX approvals_by_user ON approvals (user_id, created_at);

CREATE TABLE invocations (
    turn_id UUID NOT NULL REFERENCES turns (id),
    step INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    user_id UUID NOT NULL,
    -- NULL where the name called is no tool.
    tool TEXT,
    called_as TEXT NOT NULL,
    risk TEXT NOT NULL CHECK (risk IN ('low', 'medium', 'high')),
    status TEXT NOT NULL,
    -- The approval that it asked for (awaiting_approval) or ran under (any other status).
    approval_id UUID,
    duration_ms BIGINT NOT NULL,
    record_seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (turn_id, step, idx),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX invocations_of_approval ON invocations (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX invocations_by_tool ON invocations (user_id, tool);

CREATE TABLE decisions (
    turn_id UUID PRIMARY KEY REFERENCES turns (id),
    user_id UUID NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    engine TEXT NOT NULL,
    -- LLM_UNAVAILABLE where the rules stood in for a model.
    engine_cause TEXT,
    model TEXT,
    constitution TEXT NOT NULL,
    -- An approval that this turn asked for, or asked about again.
    asked_approval UUID,
    tokens_in BIGINT,
    tokens_out BIGINT,
    -- Micro-units of the provider's currency; NULL is unknown, never 0.
    cost_micros BIGINT,
    duration_ms BIGINT NOT NULL,
    record_seq BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);
CREATE INDEX decisions_by_user ON decisions (user_id, at, turn_id);
CREATE INDEX decisions_by_time ON decisions (at, turn_id);

CREATE TRIGGER steps_refuse BEFORE UPDATE OR DELETE ON steps FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER steps_refuse_truncate BEFORE TRUNCATE ON steps EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invocations_refuse BEFORE UPDATE OR DELETE ON invocations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invocations_refuse_truncate BEFORE TRUNCATE ON invocations EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_refuse BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_refuse_truncate BEFORE TRUNCATE ON decisions EXECUTE FUNCTION refuse_change();
