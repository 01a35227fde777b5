-- Which increments of counters were applied: a push may be sent again at any time, and each counts once.
CREATE TABLE sync.increment (
    space_id  uuid   NOT NULL,
    app       text   NOT NULL,
    id        uuid   NOT NULL,
    -- Whose it is; zeros for what a creation gave, which is of no device: several may tell of one creation.
    device    uuid   NOT NULL,
    -- As the device sent it.
    stamp     bigint NOT NULL,
    -- The record's table and the counter's column there.
    entity    text   NOT NULL,
    attribute text   NOT NULL,
    -- When it was applied, as a stamp by the server's clock.
    applied   bigint NOT NULL,
    PRIMARY KEY (space_id, app, id, device, stamp, entity, attribute)
);

-- For collecting those that are old enough.
CREATE INDEX ON sync.increment (space_id, app, applied);

ALTER TABLE sync.increment ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.increment FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.increment
    USING (space_id = pg_catalog.current_setting('sync.space')::uuid);

GRANT SELECT, INSERT, DELETE ON sync.increment TO syncserver_serving;
