-- The per-user hash chain, and apart from it the salted texts that it vouches for (R-704).
CREATE TABLE records (
    user_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    digest BYTEA NOT NULL,
    previous BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (user_id, seq)
);

CREATE TABLE bodies (
    user_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    -- Canonical JSON (RFC 8785); text, since its digest is over these very bytes.
    body TEXT NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, seq) REFERENCES records (user_id, seq)
);

-- Names the body that may be deleted and the record that says so.
CREATE TABLE erasures (
    user_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    record_seq BIGINT NOT NULL,
    PRIMARY KEY (user_id, seq),
    FOREIGN KEY (user_id, record_seq) REFERENCES records (user_id, seq)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% are append-only', TG_TABLE_NAME;
END;
$$;

CREATE FUNCTION refuse_unrecorded_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM erasures e WHERE e.user_id = OLD.user_id AND e.seq = OLD.seq) THEN
        RAISE EXCEPTION 'a body is only deleted with an erasure record';
    END IF;
    RETURN OLD;
END;
$$;

CREATE TRIGGER records_refuse BEFORE UPDATE OR DELETE ON records FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER records_refuse_truncate BEFORE TRUNCATE ON records EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bodies_refuse_update BEFORE UPDATE ON bodies FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bodies_refuse_delete BEFORE DELETE ON bodies FOR EACH ROW EXECUTE FUNCTION refuse_unrecorded_erasure();
CREATE TRIGGER bodies_refuse_truncate BEFORE TRUNCATE ON bodies EXECUTE FUNCTION refuse_change();
