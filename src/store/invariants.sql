-- A message belongs to a turn of its own person and conversation.
SELECT COUNT(*) FROM messages m WHERE NOT EXISTS (
    SELECT 1 FROM turns t WHERE t.id = m.turn_id AND t.user_id = m.user_id AND t.conversation_id = m.conversation_id);

-- A turn set off by a message has exactly one, unless it came too fast; any other turn has none.
SELECT COUNT(*) FROM turns t
WHERE (SELECT COUNT(*) FROM messages m WHERE m.turn_id = t.id AND m.speaker = 'user') <>
    CASE WHEN t.cause = 'message' AND NOT EXISTS (
        SELECT 1 FROM decisions d WHERE d.turn_id = t.id AND d.outcome = 'REFUSAL:RATE_LIMITED') THEN 1 ELSE 0 END;

-- A turn that is done has exactly one decision, any other none.
SELECT COUNT(*) FROM turns t
WHERE (SELECT COUNT(*) FROM decisions d WHERE d.turn_id = t.id) <> CASE WHEN t.status = 'done' THEN 1 ELSE 0 END;

-- A turn that is done has exactly one reply, unless it came too fast or by an outside agent; any other has none.
SELECT COUNT(*) FROM turns t
WHERE (SELECT COUNT(*) FROM messages m WHERE m.turn_id = t.id AND m.speaker = 'assistant') <>
    CASE WHEN t.status = 'done' AND t.cause <> 'mcp' AND NOT EXISTS (
        SELECT 1 FROM decisions d WHERE d.turn_id = t.id AND d.outcome = 'REFUSAL:RATE_LIMITED') THEN 1 ELSE 0 END;

-- Turns of a conversation end in the order of their acceptance; an outside agent's call waits for none.
SELECT COUNT(*) FROM turns e JOIN turns l ON l.conversation_id = e.conversation_id AND l.ordinal > e.ordinal
WHERE e.status <> 'done' AND (l.status = 'running' OR l.status = 'done' AND l.cause <> 'mcp' AND NOT EXISTS (
    SELECT 1 FROM decisions d WHERE d.turn_id = l.id AND d.outcome = 'REFUSAL:RATE_LIMITED'));

-- A call attempt has an end.
SELECT COUNT(*) FROM invocations WHERE status NOT IN
    ('ok', 'error', 'awaiting_approval', 'rejected', 'expired', 'void', 'skipped', 'stopped');

-- A call attempt belongs to a recorded step.
SELECT COUNT(*) FROM invocations i JOIN turns t ON t.id = i.turn_id
WHERE t.cause <> 'mcp' AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.turn_id = i.turn_id AND s.number = i.step);

-- A high-risk effect comes after a request and a person's approving verdict.
SELECT COUNT(*) FROM invocations i WHERE i.risk = 'high' AND i.status = 'ok' AND NOT EXISTS (
    SELECT 1 FROM approvals a
    JOIN records q ON q.user_id = a.user_id AND q.seq = a.record_seq AND q.kind = 'approval_request'
    JOIN records v ON v.user_id = a.user_id AND v.seq = a.decided_seq AND v.kind = 'approval_verdict'
    WHERE a.id = i.approval_id AND a.user_id = i.user_id AND a.status = 'approved' AND a.decided_by IS NOT NULL
        AND q.seq < v.seq AND v.seq < i.record_seq);

-- An approval is carried out at most once.
SELECT COUNT(*) FROM (
    SELECT approval_id FROM invocations WHERE approval_id IS NOT NULL AND status <> 'awaiting_approval'
    GROUP BY approval_id HAVING COUNT(DISTINCT turn_id) > 1) AS twice;

-- A request for approval is settled if and only if it has a verdict.
SELECT COUNT(*) FROM approvals WHERE (status = 'pending') <> (decided_seq IS NULL);

-- A verdict by button or expiry has exactly one turn, a verdict in words none.
SELECT COUNT(*) FROM approvals a
WHERE a.status IN ('approved', 'rejected', 'expired')
    AND (SELECT COUNT(*) FROM turns t WHERE t.approval_id = a.id)
        <> CASE WHEN a.decided_via IN ('chat', 'inline') THEN 0 ELSE 1 END;

-- A change by an agent belongs to a call that went well.
SELECT COUNT(*) FROM changes c WHERE (c.actor NOT IN ('user', 'system') OR c.turn_id IS NOT NULL) AND NOT EXISTS (
    SELECT 1 FROM invocations i WHERE i.turn_id = c.turn_id AND i.step = c.step AND i.idx = c.idx
        AND i.user_id = c.user_id AND i.status = 'ok');

-- A call that added or deleted has its change.
SELECT COUNT(*) FROM invocations i WHERE i.tool IN ('add_task', 'delete_task') AND i.status = 'ok' AND NOT EXISTS (
    SELECT 1 FROM changes c WHERE c.turn_id = i.turn_id AND c.step = i.step AND c.idx = i.idx AND c.user_id = i.user_id);

-- A task has a change for each of its versions.
SELECT COUNT(*) FROM tasks t
WHERE t.version <> (SELECT COUNT(*) FROM changes c WHERE c.user_id = t.user_id AND c.task_number = t.number);

-- A task is purged if and only if its last change says so, and nobody but the system does that.
SELECT COUNT(*) FROM tasks t
WHERE (t.purged_at IS NOT NULL) <> EXISTS (
        SELECT 1 FROM changes c WHERE c.user_id = t.user_id AND c.task_number = t.number AND c.operation = 'purge'
            AND c.actor = 'system' AND c.version_after = t.version)
    OR EXISTS (
        SELECT 1 FROM changes c WHERE c.user_id = t.user_id AND c.task_number = t.number
            AND (c.operation = 'purge') <> (c.actor = 'system'));

-- Events are numbered from 1 without a gap.
SELECT COUNT(*) FROM heads h WHERE h.event_seq <> (SELECT COUNT(*) FROM events e WHERE e.user_id = h.user_id)
    OR h.event_seq <> (SELECT COALESCE(MAX(e.seq), 0) FROM events e WHERE e.user_id = h.user_id);

-- Records are numbered from 1 without a gap.
SELECT COUNT(*) FROM heads h WHERE h.record_seq <> (SELECT COUNT(*) FROM records r WHERE r.user_id = h.user_id)
    OR h.record_seq <> (SELECT COALESCE(MAX(r.seq), 0) FROM records r WHERE r.user_id = h.user_id);

-- A record follows from the one before it.
SELECT COUNT(*) FROM records r JOIN records p ON p.user_id = r.user_id AND p.seq = r.seq - 1 WHERE r.previous <> p.hash;

-- A record has its text, or an erasure of its own chain that took it.
SELECT COUNT(*) FROM records r
LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
LEFT JOIN erasures e ON e.user_id = r.user_id AND e.seq = r.seq
LEFT JOIN records s ON s.user_id = e.user_id AND s.seq = e.record_seq
WHERE (b.seq IS NULL) <> (e.seq IS NOT NULL) OR e.seq IS NOT NULL AND s.kind <> 'erasure';

-- Rows and records tell of each other.
SELECT COUNT(*) FROM (
    SELECT 1 FROM (
        SELECT user_id, record_seq AS seq, 'message' AS kind, 1 AS told FROM messages
        UNION ALL SELECT user_id, record_seq, 'step', 1 FROM steps
        UNION ALL SELECT user_id, record_seq, 'invocation', 1 FROM invocations
        UNION ALL SELECT user_id, record_seq, 'change', 1 FROM changes
        UNION ALL SELECT user_id, record_seq, 'decision', 1 FROM decisions
        UNION ALL SELECT user_id, record_seq, 'approval_request', 1 FROM approvals
        UNION ALL SELECT user_id, seq, kind, 0 FROM records
        WHERE kind IN ('message', 'step', 'invocation', 'change', 'decision', 'approval_request')) AS sides
    GROUP BY user_id, seq, kind HAVING MIN(told) = MAX(told)) AS alone;

-- Every change, call and end of a turn was told to listeners once.
SELECT COUNT(*) FROM users u
WHERE (SELECT COUNT(*) FROM events e WHERE e.user_id = u.id AND e.kind = 'task.changed')
        <> (SELECT COUNT(*) FROM changes c WHERE c.user_id = u.id)
    OR (SELECT COUNT(*) FROM events e WHERE e.user_id = u.id AND e.kind = 'tool.finished')
        <> (SELECT COUNT(*) FROM invocations i WHERE i.user_id = u.id)
    OR (SELECT COUNT(*) FROM events e WHERE e.user_id = u.id AND e.kind = 'turn.finished')
        <> (SELECT COUNT(*) FROM messages m WHERE m.user_id = u.id AND m.speaker = 'assistant')
            + (SELECT COUNT(*) FROM turns t WHERE t.user_id = u.id AND t.cause = 'mcp' AND t.status = 'done');

-- An outside agent's call is one call, and both the turn and what it changed name the agent's token.
SELECT COUNT(*) FROM turns t WHERE t.cause = 'mcp' AND t.status = 'done' AND (
    t.token_id IS NULL OR (SELECT COUNT(*) FROM invocations i WHERE i.turn_id = t.id) <> 1
    OR EXISTS (SELECT 1 FROM changes c WHERE c.turn_id = t.id AND (c.actor <> 'external' OR NOT EXISTS (
        SELECT 1 FROM outside_changes o WHERE o.user_id = c.user_id AND o.token_id = t.token_id AND o.change_id = c.id))));

-- A change counts for an outside agent if and only if one has made it.
SELECT COUNT(*) FROM (
    SELECT 1 FROM (
        SELECT user_id, id, 1 AS made FROM changes WHERE actor = 'external'
        UNION ALL SELECT user_id, change_id, 0 FROM outside_changes) AS sides
    GROUP BY user_id, id HAVING MIN(made) = MAX(made)) AS alone;

-- What belongs together belongs to one person.
SELECT COUNT(*) FROM (
    SELECT t.user_id AS own, c.user_id AS other FROM turns t JOIN conversations c ON c.id = t.conversation_id
    UNION ALL SELECT i.user_id, t.user_id FROM invocations i JOIN turns t ON t.id = i.turn_id
    UNION ALL SELECT s.user_id, t.user_id FROM steps s JOIN turns t ON t.id = s.turn_id
    UNION ALL SELECT d.user_id, t.user_id FROM decisions d JOIN turns t ON t.id = d.turn_id
    UNION ALL SELECT a.user_id, t.user_id FROM approvals a JOIN turns t ON t.id = a.turn_id
    UNION ALL SELECT t.user_id, a.user_id FROM turns t JOIN approvals a ON a.id = t.approval_id
    UNION ALL SELECT c.user_id, t.user_id FROM changes c JOIN turns t ON t.id = c.turn_id) AS pairs
WHERE own <> other;

-- A notice waits only for an open task; it may have no time, since any can be put off.
SELECT COUNT(*) FROM reminders r WHERE NOT EXISTS (
    SELECT 1 FROM tasks t WHERE t.user_id = r.user_id AND t.number = r.number
        AND t.status = 'pending' AND t.deleted_at IS NULL);

-- A card of a turn is its own person's.
SELECT COUNT(*) FROM outbox o JOIN turns t ON t.id = o.turn_id WHERE t.user_id <> o.user_id;

-- What a search looks through first holds the words of every task, and no others.
SELECT COUNT(*) FROM (
    SELECT t.number FROM tasks t WHERE t.search <> '' AND NOT EXISTS (
        SELECT 1 FROM search_blocks b WHERE b.user_id = t.user_id AND b.block = t.number / 16
            AND replace(b.search, substr(t.search, 1, 240), '') <> b.search)
    UNION ALL SELECT b.block FROM search_blocks b WHERE length(b.search) <> (
        SELECT SUM(length(substr(t.search, 1, 240)) + 1) - 1 FROM tasks t
        WHERE t.user_id = b.user_id AND t.number BETWEEN b.block * 16 AND b.block * 16 + 15)) AS wrong;

-- The counts of a person's tasks and turns have reached each of them.
SELECT (SELECT COUNT(*) FROM tasks t JOIN heads h ON h.user_id = t.user_id WHERE t.number > h.task_number) +
    (SELECT COUNT(*) FROM turns t JOIN heads h ON h.user_id = t.user_id WHERE t.ordinal > h.turn_ordinal);
