-- Under what a turn stands in a trace: `00-<trace>-<span>-<flags>` (W3C Trace Context), the span all zeros where the trace begins
-- with the turn. NULL where nobody collects spans.
ALTER TABLE turns ADD COLUMN trace TEXT;

-- What a filter of the record looks for and is rare: a common value is met soon enough by going through the turns by time. Rows of
-- common values are in none of these, so that a plain turn does not pay for them.
CREATE INDEX invocations_risky ON invocations (user_id, risk) WHERE risk <> 'low';
CREATE INDEX turns_by_cause ON turns (user_id, cause) WHERE cause <> 'message';
-- With what else is filtered by, so that turns are passed over from the index alone. The same entries as before, a little longer.
DROP INDEX decisions_by_user;
CREATE INDEX decisions_by_user
    ON decisions (user_id, at, turn_id) INCLUDE (outcome, duration_ms, tokens_in, tokens_out, cost_micros, kind, engine);
DROP INDEX decisions_by_time;
CREATE INDEX decisions_by_time
    ON decisions (at, turn_id) INCLUDE (outcome, duration_ms, tokens_in, tokens_out, cost_micros, kind, engine);
