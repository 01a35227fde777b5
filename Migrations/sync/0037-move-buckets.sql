-- Buckets of spaces move from one database to another. The directory records each move with its step, so that a move that was
-- interrupted can be continued, or undone.

-- phase: expand

ALTER TABLE sync.server
    -- The database's name in the map of its installation; NULL: it is the only database.
    ADD COLUMN name text,
    -- Spaces that have moved without their bucket: those of buckets that this database serves are elsewhere, and those of other
    -- buckets are here. There are few, because every request reads them.
    ADD COLUMN exceptions uuid[] NOT NULL DEFAULT '{}';

-- phase: expand

-- The epoch of the cursors of a space that came from a database with another epoch; NULL: the database's.
ALTER TABLE sync.space ADD COLUMN epoch uuid;

-- phase: expand

CREATE TABLE sync.move (
    id       bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- Either some buckets move, or one space.
    buckets  bigint[]    CHECK (cardinality(buckets) > 0 AND 0 <= ALL (buckets) AND 255 >= ALL (buckets)),
    single   uuid        CHECK ((single IS NULL) <> (buckets IS NULL)),
    source   text        NOT NULL,
    target   text        NOT NULL CHECK (target <> source),
    -- What is done next. Until ‘opening’ the source may still serve the buckets; from then on only the target does.
    step     text        NOT NULL DEFAULT 'copying'
        CHECK (step IN ('copying', 'switching', 'closing', 'opening', 'cleaning', 'done', 'undone')),
    began_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz CHECK ((ended_at IS NULL) = (step NOT IN ('done', 'undone')))
);

-- The spaces that another database serves than the rest of their bucket. What is erased of a space is in columns of other names.
CREATE TABLE sync.placed_space (
    id       uuid PRIMARY KEY,
    -- NULL: the directory.
    database text REFERENCES sync.database
);

GRANT SELECT ON sync.placed_space TO syncserver_serving;

-- One at a time.
CREATE UNIQUE INDEX move_unfinished ON sync.move ((ended_at IS NULL)) WHERE ended_at IS NULL;

-- A row here comes to the target of a move after all changes that the source committed before it. So it tells when the target has
-- them.
CREATE TABLE sync.move_mark (
    mark uuid PRIMARY KEY
);

-- As before; and where the map says which of several databases serves a space, a copy of a database serves none, until an operator
-- confirms that the original is gone. The spaces of a copy have its new epoch.
CREATE OR REPLACE FUNCTION sync.recognize() RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- A copy of a database has another: of another cluster, another database in it, another table (restored from a dump into the
    -- same database).
    copy text := concat_ws(
        '/',
        (SELECT system_identifier FROM pg_control_system()),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        'sync.server'::regclass::oid);
    here text := concat_ws('/', copy, left(pg_walfile_name(pg_current_wal_lsn()), 8));
    start timestamptz := pg_postmaster_start_time();
    before uuid;
    after uuid;
BEGIN
    PERFORM FROM sync.server WHERE origin = here AND started = start;
    IF NOT FOUND THEN
        SELECT epoch INTO before FROM sync.server;
        UPDATE sync.server
        SET epoch = CASE WHEN origin IS NULL OR starts_with(origin, copy || '/') THEN epoch ELSE gen_random_uuid() END,
            buckets = CASE WHEN name IS NULL OR origin IS NULL OR starts_with(origin, copy || '/') THEN buckets
                ELSE 0::bit(256) END,
            exceptions = CASE WHEN name IS NULL OR origin IS NULL OR starts_with(origin, copy || '/') THEN exceptions
                ELSE '{}' END,
            origin = here,
            era = hashtextextended(gen_random_uuid()::text, 0),
            started = start
        WHERE origin IS DISTINCT FROM here OR started IS DISTINCT FROM start;
        SELECT epoch INTO after FROM sync.server;
        IF after <> before THEN
            UPDATE sync.space SET epoch = NULL WHERE epoch IS NOT NULL;
        END IF;
    END IF;
END
$$;

-- As before, with the epochs of spaces that came from another database.
CREATE OR REPLACE FUNCTION sync.read_states(of_app text, wanted uuid[])
    RETURNS TABLE (
        head bigint, epoch uuid, horizon bigint, level integer, era bigint, ended_eras bigint[], rights bigint,
        is_here boolean)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT s.head, coalesce(s.epoch, e.epoch), s.horizon, s.level, s.era, s.ended_eras, s.rights,
            (get_bit(e.buckets, uuid_hash(w.space_id) & 255) = 1) <> (w.space_id = ANY (e.exceptions))
        FROM unnest(wanted) WITH ORDINALITY AS w (space_id, place)
            CROSS JOIN sync.server AS e
            LEFT JOIN LATERAL (
                SELECT * FROM sync.space
                WHERE space_id >= w.space_id AND space_id <= w.space_id AND app = of_app
                ORDER BY space_id LIMIT 1
            ) AS s ON true
        ORDER BY w.place;
END
$$;

-- As before, with the spaces that have moved without their bucket.
CREATE OR REPLACE FUNCTION sync.note_rights() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here bigint;
    counted bigint;
BEGIN
    -- The row's lock comes first, as in a push.
    UPDATE sync.space SET rights = rights + 1 WHERE space_id = OLD.space_id AND app = OLD.app RETURNING rights INTO here;
    INSERT INTO sync.revocation AS r (space_id, app, count) VALUES (OLD.space_id, OLD.app, coalesce(here, 1))
    ON CONFLICT (space_id, app) DO UPDATE SET count = greatest(r.count + 1, excluded.count)
    RETURNING r.count INTO counted;
    IF here IS NOT NULL THEN
        UPDATE sync.space SET rights = counted WHERE space_id = OLD.space_id AND app = OLD.app AND rights < counted;
    END IF;
    PERFORM FROM sync.server AS e
    WHERE (get_bit(e.buckets, uuid_hash(OLD.space_id) & 255) = 1) <> (OLD.space_id = ANY (e.exceptions));
    IF FOUND THEN
        UPDATE sync.revocation SET told = counted WHERE space_id = OLD.space_id AND app = OLD.app;
    END IF;
    RETURN NULL;
END
$$;
