-- Who has heard that his clock was ahead sets it right, and his next edits are later than those whose stamps were replaced. Which of a
-- device's requests were made before it heard so, its cursor tells.

-- phase: expand

-- The number that the push began with which brought the stamp; NULL where a release before has replaced it.
ALTER TABLE sync.clamp ADD COLUMN seq bigint;
