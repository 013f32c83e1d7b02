-- Looking for memories by hand is not all that is paid for beside turns and summaries: giving memories new vectors and trying the
-- model are as well, and count to the person's share of the day (R-804).
ALTER TABLE memory_searches RENAME TO token_usage;
ALTER INDEX memory_searches_pkey RENAME TO token_usage_pkey;
ALTER TABLE token_usage ADD COLUMN tokens_out BIGINT NOT NULL DEFAULT 0;
