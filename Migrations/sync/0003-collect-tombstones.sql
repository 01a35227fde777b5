-- What collecting old tombstones needs.

-- `horizon` is the highest number of a tombstone that was collected: who has read less may have missed one. `swept` is the
-- number up to which everything that can be collected has been.
ALTER TABLE sync.space
    ADD COLUMN horizon bigint NOT NULL DEFAULT 0 CHECK (horizon >= 0),
    ADD COLUMN swept   bigint NOT NULL DEFAULT 0 CHECK (swept >= 0);

-- Where a space's head was at a time by the server's clock: what is numbered up to there is at least that old. Stamps are by
-- the devices' clocks, and records that went with others have none of their own.
CREATE TABLE sync.mark (
    space_id uuid        NOT NULL,
    app      text        NOT NULL,
    at       timestamptz NOT NULL,
    head     bigint      NOT NULL,
    PRIMARY KEY (space_id, app, at)
);

ALTER TABLE sync.mark ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.mark FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.mark
    USING (space_id = pg_catalog.current_setting('sync.space')::uuid);

GRANT SELECT, INSERT, DELETE ON sync.mark TO syncserver_serving;
GRANT DELETE ON sync.clamp TO syncserver_serving;

-- Which spaces there are. The serving role sees one space at a time and could not find them; like `sync.token`, this names
-- spaces and says nothing of what is in them.
CREATE TABLE sync.directory (
    app   text NOT NULL,
    space uuid NOT NULL,
    PRIMARY KEY (app, space)
);

GRANT SELECT ON sync.directory TO syncserver_serving;

-- Row-level security is forced on the owner too, who must see all spaces here.
ALTER TABLE sync.space NO FORCE ROW LEVEL SECURITY;

INSERT INTO sync.directory (app, space)
SELECT app, space_id FROM sync.space;

ALTER TABLE sync.space FORCE ROW LEVEL SECURITY;

CREATE FUNCTION sync.list_space() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
BEGIN
    INSERT INTO sync.directory (app, space) VALUES (NEW.app, NEW.space_id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION sync.list_space() FROM PUBLIC;

CREATE TRIGGER list_space AFTER INSERT ON sync.space
    FOR EACH ROW EXECUTE FUNCTION sync.list_space();
