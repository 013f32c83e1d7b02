-- SQLite's index of lists covers more columns from here on. An entry of PostgreSQL's indexes has at most 2,704 bytes, which tags may exceed, and
-- PostgreSQL keeps long texts apart from their rows.
SELECT 1;
