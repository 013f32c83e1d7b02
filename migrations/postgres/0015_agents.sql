-- Outside agents (R-305): each token is one, with a budget, a thread of its own, and its id on what it asked for and changed.
-- Changes in an hour; 0 is off.
ALTER TABLE tokens ADD COLUMN budget BIGINT NOT NULL DEFAULT 120;
-- Made with the agent's first call.
ALTER TABLE tokens ADD COLUMN conversation_id UUID REFERENCES conversations (id);

ALTER TABLE turns ADD COLUMN token_id UUID;
CREATE INDEX turns_by_token ON turns (token_id, accepted_at) WHERE token_id IS NOT NULL;

-- Which changes an outside agent has made: what its budget counts.
CREATE TABLE outside_changes (
    user_id UUID NOT NULL,
    token_id UUID NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    change_id UUID NOT NULL REFERENCES changes (id),
    PRIMARY KEY (user_id, token_id, at, change_id)
);

ALTER TABLE approvals ADD COLUMN token_id UUID;
-- SHA-256 of the tool's name and its canonical arguments: by it the agent's repeat of the call finds what became of it.
ALTER TABLE approvals ADD COLUMN call_digest BYTEA;
-- The turn in which the agent heard what became of it; then the same call is a new one.
ALTER TABLE approvals ADD COLUMN collected_by UUID;
CREATE INDEX approvals_of_call ON approvals (token_id, call_digest, created_at) WHERE token_id IS NOT NULL;

-- Secrets that all processes on this database share: made by the first that needs one.
CREATE TABLE server_keys (
    name TEXT PRIMARY KEY,
    key BYTEA NOT NULL
);
