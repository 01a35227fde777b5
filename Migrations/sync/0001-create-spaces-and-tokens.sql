-- The server's own tables, and what every app's tables have in common.

-- The role that `syncserver serve` works as. It owns nothing and is subject to row-level security. Roles belong to the whole
-- cluster, so another database may have created it already.
DO $$
BEGIN
    CREATE ROLE syncserver_serving NOLOGIN;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

-- `serve` connects as whoever migrates and then takes the serving role; a superuser needs no grant for that.
DO $$
BEGIN
    IF NOT pg_catalog.pg_has_role(current_user, 'syncserver_serving', 'MEMBER') THEN
        EXECUTE pg_catalog.format('GRANT syncserver_serving TO %I', current_user);
    END IF;
END
$$;

GRANT USAGE ON SCHEMA sync TO syncserver_serving;
GRANT SELECT ON sync.migration TO syncserver_serving;

-- One row, made once for each database: cursors carry the epoch, so that a cursor from another database is recognised.
CREATE TABLE sync.server (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch   uuid    NOT NULL DEFAULT pg_catalog.gen_random_uuid()
);

INSERT INTO sync.server DEFAULT VALUES;

GRANT SELECT ON sync.server TO syncserver_serving;

-- A space is the unit of sharing and of ordering. A push locks its row and numbers its changes from `head`.
CREATE TABLE sync.space (
    app        text        NOT NULL,
    space_id   uuid        NOT NULL,
    head       bigint      NOT NULL DEFAULT 0 CHECK (head >= 0),
    created_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (space_id, app)
);

ALTER TABLE sync.space ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.space FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.space
    USING (space_id = pg_catalog.current_setting('sync.space')::uuid);

GRANT SELECT, INSERT, UPDATE ON sync.space TO syncserver_serving;

-- Bearer tokens. Only the SHA-256 of the secret is kept.
CREATE TABLE sync.token (
    secret_hash bytea       PRIMARY KEY CHECK (pg_catalog.length(secret_hash) = 32),
    -- NULL: every app.
    app         text,
    subject     text        NOT NULL,
    role        text        NOT NULL CHECK (role IN ('read', 'write')),
    -- The first is the one that `spaces/me` means.
    spaces      uuid[]      NOT NULL CHECK (pg_catalog.cardinality(spaces) > 0),
    created_at  timestamptz NOT NULL DEFAULT pg_catalog.now(),
    revoked_at  timestamptz
);

GRANT SELECT ON sync.token TO syncserver_serving;

-- What every table of every app begins with: `CREATE TABLE fitiq.sd_meal (LIKE sync.record INCLUDING ALL, …)`.
CREATE TABLE sync.record (
    space_id uuid    NOT NULL,
    id       uuid    NOT NULL,
    -- The number of its latest change in the space.
    seq      bigint  NOT NULL,
    -- Whether it exists: neither deleted itself nor gone with what it belongs to.
    alive    boolean NOT NULL,
    -- The stamp of the attributes that `stamps` says have it; of all, where it is null.
    stamp    bigint  NOT NULL,
    -- Which attributes were written with `stamp`, and the others that were written with theirs; see `StampSet`.
    stamps   bytea,
    -- The stamps of its latest explicit creation and deletion; 0: none.
    born     bigint  NOT NULL,
    died     bigint  NOT NULL,
    -- Which device need not be sent this state: it made every change since `since`, and merging altered none of them. It
    -- must have seen the state before, of number `seen`.
    device   uuid,
    seen     bigint,
    since    bigint,
    -- A bit for each to-one relationship, in the order of their columns: its target is absent or dead.
    dangling bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, id)
);

CREATE INDEX ON sync.record (space_id, seq);

-- Puts a table of records behind the wall: row-level security by space, and the serving role's grants.
CREATE FUNCTION sync.enroll(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', record_table);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', record_table);
    EXECUTE format(
        'CREATE POLICY space ON %s USING (space_id = current_setting(''sync.space'')::uuid)', record_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO syncserver_serving', record_table);
END
$$;
