-- SQLite's records, bodies and events are appended to their tables from now on; here they always were.
SELECT 1;
