-- Each index is one more page to write for every call of an outside agent. Those turns have no key of a client, and an index of their
-- cause and time serves both what counts them and what lists them.
ALTER TABLE turns DROP CONSTRAINT turns_user_id_client_key_key;
CREATE UNIQUE INDEX turns_by_client_key ON turns (user_id, client_key) WHERE client_key IS NOT NULL;
DROP INDEX turns_by_token;
DROP INDEX turns_by_cause;
-- Of messages no index holds a list: they are met soon enough by going through the turns by time.
CREATE INDEX turns_by_cause ON turns (user_id, cause, accepted_at) WHERE cause <> 'message';
