-- Whose hands a token is for: a program of the person's own, as every one so far, or an outside agent, which works at /mcp only (R-305).
ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'personal' CHECK (kind IN ('personal', 'agent'));
