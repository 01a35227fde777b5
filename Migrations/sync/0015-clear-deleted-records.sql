-- What deleted records held is cleared long before their tombstones are collected: a device needs to be told of a deletion for half
-- a year, and nobody needs the text.

-- All records of the space that were deleted up to this number have been cleared.
ALTER TABLE sync.space ADD COLUMN cleared bigint NOT NULL DEFAULT 0;
