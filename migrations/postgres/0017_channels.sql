-- Doors other than the browser: whose chat is whose, what is to be sent there, and which tasks' times are still to come.
CREATE TABLE telegram_links (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    -- A private chat, which has the number of the person in it.
    chat_id BIGINT NOT NULL UNIQUE,
    -- How the person is called there.
    name TEXT NOT NULL,
    -- Where the next message goes; NULL begins a conversation.
    conversation_id UUID REFERENCES conversations (id),
    linked_at TIMESTAMPTZ NOT NULL
);

-- One-time codes that link a chat; each user's newest only.
CREATE TABLE telegram_codes (
    user_id UUID PRIMARY KEY REFERENCES users (id),
    hash BYTEA NOT NULL UNIQUE,
    expires_at TIMESTAMPTZ NOT NULL
);

-- Nothing was ever put into the one before.
DROP TABLE outbox;

-- Cards: what is shown in a chat, and in which messages it stands there. No words of anybody's: they are made when it is sent.
CREATE TABLE outbox (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    channel TEXT NOT NULL CHECK (channel = 'telegram'),
    -- The chat.
    address BIGINT NOT NULL,
    -- JSON: what it is about.
    card TEXT NOT NULL,
    turn_id UUID UNIQUE REFERENCES turns (id),
    -- What brought it about, so that the same brings no other.
    client_key TEXT,
    -- One more whenever it is to be shown anew.
    version BIGINT NOT NULL DEFAULT 1,
    -- A JSON list of the messages in which it stands.
    messages TEXT NOT NULL DEFAULT '[]',
    -- Milliseconds since 1970 by the database's clock: not to be sent before; NULL where all was sent.
    ready_at BIGINT,
    lease_until BIGINT,
    -- How many senders have held it.
    fence BIGINT NOT NULL DEFAULT 0,
    -- Attempts in vain since the last that went well.
    failures BIGINT NOT NULL DEFAULT 0,
    created_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX outbox_open ON outbox (ready_at) WHERE ready_at IS NOT NULL;
CREATE INDEX outbox_open_by_user ON outbox (user_id, id) WHERE ready_at IS NOT NULL;
CREATE INDEX outbox_over ON outbox (created_at) WHERE ready_at IS NULL;
CREATE UNIQUE INDEX outbox_keys ON outbox (user_id, client_key) WHERE client_key IS NOT NULL;

-- Tasks whose owner is still to be reminded. Kept by triggers, whoever changes a task and why.
CREATE TABLE reminders (
    user_id UUID NOT NULL,
    number BIGINT NOT NULL,
    -- The time at which it is due, or until which its owner put it off.
    remind_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, number),
    FOREIGN KEY (user_id, number) REFERENCES tasks (user_id, number)
);
CREATE INDEX reminders_due ON reminders (remind_at);

INSERT INTO reminders SELECT user_id, number, due_at FROM tasks
WHERE due_at > now() AND status = 'pending' AND deleted_at IS NULL;

CREATE FUNCTION keep_reminder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM reminders WHERE user_id = NEW.user_id AND number = NEW.number;
    END IF;
    IF NEW.due_at > NEW.updated_at AND NEW.status = 'pending' AND NEW.deleted_at IS NULL THEN
        INSERT INTO reminders VALUES (NEW.user_id, NEW.number, NEW.due_at);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tasks_reminder_insert AFTER INSERT ON tasks FOR EACH ROW
WHEN (NEW.due_at > NEW.updated_at) EXECUTE FUNCTION keep_reminder();
CREATE TRIGGER tasks_reminder_update AFTER UPDATE OF due_at, status, deleted_at ON tasks FOR EACH ROW
WHEN (NEW.due_at IS DISTINCT FROM OLD.due_at OR NEW.status <> OLD.status
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL)) EXECUTE FUNCTION keep_reminder();
