-- How large the records of a space are, so that a page or a push reads no more of them at a time than a server has room for.

-- An upper bound of the size of each record of the space, in bytes: the size of the largest that was ever written, rounded up to
-- a power of two. NULL: nobody has measured the space; then its records are taken for large, until the collection of tombstones
-- comes by and measures them. Servers of the release before leave new spaces so.
ALTER TABLE sync.space ADD COLUMN record_size bigint;
