-- What came in by imports: so that a file which comes again adds nothing twice, and a whole import can be taken back.
CREATE TABLE imported (
    user_id BLOB NOT NULL REFERENCES users (id),
    -- SHA-256 over the row's fields and over how many like it came before it in its file.
    row_key BLOB NOT NULL,
    import_id BLOB NOT NULL,
    change_id BLOB NOT NULL REFERENCES changes (id),
    PRIMARY KEY (user_id, row_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_together ON imported (user_id, import_id);
