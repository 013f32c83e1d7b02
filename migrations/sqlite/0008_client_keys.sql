-- What clients called the requests that added a task, so that a request sent again adds none.
CREATE TABLE client_keys (
    user_id BLOB NOT NULL REFERENCES users (id),
    client_key TEXT NOT NULL,
    change_id BLOB NOT NULL REFERENCES changes (id),
    PRIMARY KEY (user_id, client_key)
) STRICT, WITHOUT ROWID;
