-- Each index that begins with the user is one more page to write for every call of an outside agent, whoever's call it is. Those turns
-- have no key of a client, and an index of their cause and time serves both what counts them and what lists them.
CREATE TABLE turns_by_fewer (
    id BLOB PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id),
    conversation_id BLOB NOT NULL REFERENCES conversations (id),
    -- Order of acceptance among the user's turns.
    ordinal INTEGER NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('message', 'approval', 'mcp')),
    -- The approval that this turn carries out.
    approval_id BLOB,
    client_key TEXT,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done')),
    -- Milliseconds since 1970 by the database's own clock.
    lease_until INTEGER,
    fence INTEGER NOT NULL DEFAULT 0,
    stop_asked INTEGER NOT NULL DEFAULT 0,
    accepted_at TEXT NOT NULL,
    finished_at TEXT,
    token_id BLOB,
    -- `00-<trace>-<span>-<flags>` (W3C Trace Context), the span all zeros where the trace begins with the turn. NULL where nobody
    -- collects spans.
    trace TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO turns_by_fewer
SELECT id, user_id, conversation_id, ordinal, cause, approval_id, client_key, status, lease_until, fence, stop_asked, accepted_at,
    finished_at, token_id, trace
FROM turns ORDER BY id;
DROP TABLE turns;
ALTER TABLE turns_by_fewer RENAME TO turns;
CREATE UNIQUE INDEX turns_by_client_key ON turns (user_id, client_key) WHERE client_key IS NOT NULL;
-- With the approval, so that the turns of a conversation are listed from the index alone.
CREATE INDEX turns_by_conversation ON turns (conversation_id, ordinal, approval_id);
CREATE INDEX turns_open ON turns (status, ordinal) WHERE status <> 'done';
CREATE INDEX turns_by_time ON turns (user_id, accepted_at);
-- One verdict, one turn: a second one for the same approval cannot be stored.
CREATE UNIQUE INDEX turns_of_approval ON turns (user_id, approval_id) WHERE approval_id IS NOT NULL;
-- Of messages no index holds a list: they are met soon enough by going through the turns by time.
CREATE INDEX turns_by_cause ON turns (user_id, cause, accepted_at) WHERE cause <> 'message';

-- Nothing may point to a row that is not there.
CREATE TEMP TABLE dangling (reference TEXT CHECK (reference IS NULL));
INSERT INTO dangling SELECT "table" FROM pragma_foreign_key_check;
DROP TABLE dangling;
