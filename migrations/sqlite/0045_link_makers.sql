-- The admin who made a link; NULL for the command line and for older links. Losing the role or the password ends the admin's links.
ALTER TABLE account_links ADD COLUMN made_by BLOB REFERENCES users (id);
