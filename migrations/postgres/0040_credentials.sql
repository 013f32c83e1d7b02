-- The token or session that starts a turn bounds what the turn may do (R-1103). Sessions get a public id, so that records can name
-- one: until now a session was known by its cookie's digest alone.
ALTER TABLE sessions ADD COLUMN id UUID NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE sessions ALTER COLUMN id DROP DEFAULT;
CREATE UNIQUE INDEX sessions_by_id ON sessions (id);

-- NULL where nobody did: the turn of an expiry, and turns from before.
ALTER TABLE turns ADD COLUMN starter_door TEXT;
ALTER TABLE turns ADD COLUMN starter_token UUID;
ALTER TABLE turns ADD COLUMN starter_session UUID;
