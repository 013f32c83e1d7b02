-- A conversation that its owner does not want to see in the list; saying something in it brings it back.
ALTER TABLE conversations ADD COLUMN hidden_at TIMESTAMPTZ;
