-- Whether a configured model may answer this user (R-804).
ALTER TABLE users ADD COLUMN uses_model INTEGER NOT NULL DEFAULT 1;
