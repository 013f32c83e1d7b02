-- Where a task stands among those of its day, where its owner has moved it by hand: sorts as text. NULL stands where nobody did.
ALTER TABLE tasks ADD COLUMN rank TEXT;
