-- A yes or no in the chat counts only for a question that its sender could have seen (R-1102).
--
-- Sequence of the newest event that the sender of a person's message had on the screen; NULL in older messages: nothing is known.
ALTER TABLE messages ADD COLUMN seen INTEGER;
-- True if the message is an option that a question offered; such a message confirms nothing by itself (R-404).
ALTER TABLE messages ADD COLUMN from_option INTEGER NOT NULL DEFAULT 0;
-- The approval that the last block of the reply asks about, as code composed the reply.
ALTER TABLE decisions ADD COLUMN question_of BLOB;
-- Sequence of the event that carries the reply; NULL in older decisions.
ALTER TABLE decisions ADD COLUMN told_seq INTEGER;
-- Sequence of the newest event that the card took in when it was delivered last; 0 before the first delivery.
ALTER TABLE outbox ADD COLUMN shown_seq INTEGER NOT NULL DEFAULT 0;
-- The channel's own time of that delivery, in seconds since 1970; 0 if unknown.
ALTER TABLE outbox ADD COLUMN shown_at INTEGER NOT NULL DEFAULT 0;
-- The end of that delivery by the database's clock, in milliseconds since 1970.
ALTER TABLE outbox ADD COLUMN delivered_ms INTEGER NOT NULL DEFAULT 0;
-- A card that waits for nothing was delivered as it is.
UPDATE outbox SET shown_seq = 1 WHERE ready_at IS NULL AND messages <> '[]';
