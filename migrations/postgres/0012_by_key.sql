-- SQLite's rows lie in the order of their keys from now on; here a table has no order. The turns of a conversation are listed from the
-- index alone.
DROP INDEX turns_by_conversation;
CREATE INDEX turns_by_conversation ON turns (conversation_id, ordinal) INCLUDE (id, approval_id);
