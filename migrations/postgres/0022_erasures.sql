-- What the columns of a row said whose body was erased: their SHA-256, so that a change of them still shows (R-704). NULL where no
-- row belongs to the record.
ALTER TABLE erasures ADD COLUMN said BYTEA;
