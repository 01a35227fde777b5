-- A stamp too far ahead of the server is brought back to the server's time. The retry of such a push must get the same stamp
-- again, or it would beat what others wrote in between.
CREATE TABLE sync.clamp (
    space_id uuid   NOT NULL,
    app      text   NOT NULL,
    device   uuid   NOT NULL,
    sent     bigint NOT NULL,
    given    bigint NOT NULL,
    PRIMARY KEY (space_id, app, device, sent)
);

ALTER TABLE sync.clamp ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.clamp FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.clamp
    USING (space_id = pg_catalog.current_setting('sync.space')::uuid);

GRANT SELECT, INSERT ON sync.clamp TO syncserver_serving;
