-- Changes that could not be merged through a fault of ours, as they were sent, until they are replayed or dropped: see
-- docs/protocol.md, verdict `held`.
CREATE TABLE sync.quarantine (
    space_id    uuid        NOT NULL,
    -- Within a space in the order in which they were held.
    id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    app         text        NOT NULL,
    -- NULL: the request named none.
    device      uuid,
    -- The record's table, and its entity's name in `version`.
    table_name  text        NOT NULL,
    entity      text        NOT NULL,
    record      uuid        NOT NULL,
    operation   text        NOT NULL CHECK (operation IN ('create', 'update', 'delete')),
    -- The one that counts: the server's where the device had none or was too far ahead. And the one that was sent.
    stamp       bigint      NOT NULL,
    sent        bigint      NOT NULL,
    -- How the request's changes are read: `Change-Mode`.
    mode        text        NOT NULL,
    -- What it was written in.
    version     text        NOT NULL,
    fingerprint text        NOT NULL,
    change      bytea       NOT NULL,
    change_hash bytea       NOT NULL GENERATED ALWAYS AS (pg_catalog.sha256(change)) STORED,
    -- Why, the last time that it was tried.
    code        text        NOT NULL,
    detail      text        NOT NULL,
    held_at     timestamptz NOT NULL DEFAULT pg_catalog.now(),
    tried_at    timestamptz NOT NULL DEFAULT pg_catalog.now(),
    attempts    integer     NOT NULL DEFAULT 1,
    PRIMARY KEY (space_id, id),
    -- A push may be repeated; what it holds is held once.
    UNIQUE NULLS NOT DISTINCT (
        space_id, app, device, table_name, record, operation, stamp, version, fingerprint, change_hash)
);

ALTER TABLE sync.quarantine ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.quarantine FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.quarantine
    USING (space_id = pg_catalog.current_setting('sync.space')::uuid);

GRANT SELECT, INSERT, DELETE, UPDATE (code, detail, tried_at, attempts) ON sync.quarantine TO syncserver_serving;

-- Which spaces hold something: like `sync.directory`, it says nothing of what.
CREATE TABLE sync.quarantine_directory (
    id    bigint PRIMARY KEY,
    app   text   NOT NULL,
    space uuid   NOT NULL
);

GRANT SELECT ON sync.quarantine_directory TO syncserver_serving;

CREATE FUNCTION sync.list_held() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO sync.quarantine_directory (id, app, space) VALUES (NEW.id, NEW.app, NEW.space_id);
    ELSE
        DELETE FROM sync.quarantine_directory WHERE id = OLD.id;
    END IF;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION sync.list_held() FROM PUBLIC;

CREATE TRIGGER list_held AFTER INSERT OR DELETE ON sync.quarantine
    FOR EACH ROW EXECUTE FUNCTION sync.list_held();
