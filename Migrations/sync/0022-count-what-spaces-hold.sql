-- How much each space holds, so that none can fill the disk.

ALTER TABLE sync.space
    -- The records that are alive, and the bytes of their values. NULL: nobody has counted them; then the collection of tombstones
    -- does when it comes by.
    ADD COLUMN records bigint,
    ADD COLUMN bytes bigint,
    -- The head up to which they are counted. Where it is not the space's head, a server of the release before has pushed since, or
    -- a push took records along whose sizes nobody has read: the next collection counts again.
    ADD COLUMN counted_head bigint,
    -- What an operator allows this space, instead of what its servers allow all.
    ADD COLUMN records_max bigint,
    ADD COLUMN bytes_max bigint;
