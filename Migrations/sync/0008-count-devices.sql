-- The census: which devices use which version of an app's models, and when they last did. A contract migration that
-- takes something away from old versions asks it whether anybody still uses one.

-- Since when it is kept. A copy that was restored from a backup lacks what was seen since the backup, so the census
-- begins anew with each epoch of the database.
CREATE TABLE sync.census (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- NULL: no server has kept it yet.
    epoch   uuid,
    since   timestamptz
);

INSERT INTO sync.census DEFAULT VALUES;

-- There is no space in it, so no row-level security could tell whose a row is. The serving role has no privilege on it
-- at all and learns nothing from it: it tells what it saw, and lets go of what is old, through the functions below. Rows
-- are rewritten often and none of the indexed columns changes, so there is room left for updates in place.
CREATE TABLE sync.census_device (
    app        text        NOT NULL,
    -- Zeros: everyone who states no device.
    device     uuid        NOT NULL,
    -- As a client states it: the number; with the fingerprint, where the number alone means another shape.
    version    text        NOT NULL CHECK (version ~ '^\d+\.\d+\.\d+(;fp=.+)?$'),
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    -- In seconds, as the device last said: how old its oldest unsent change was. NULL: it never said.
    outbox_age bigint      CHECK (outbox_age >= 0),
    PRIMARY KEY (app, device, version)
) WITH (fillfactor = 80);

-- Takes in what a server saw, one place of the arrays for each device and version. What moved by less than
-- `unmoved_seconds` since it was written is not written again. Says how many rows were written, and whether the census
-- began with this.
CREATE FUNCTION sync.see_devices(
    seen_at timestamptz, unmoved_seconds bigint, apps text[], devices uuid[], versions text[], firsts timestamptz[],
    lasts timestamptz[], ages bigint[], OUT written bigint, OUT has_begun boolean)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
BEGIN
    UPDATE sync.census AS census SET since = seen_at, epoch = server.epoch
    FROM sync.server AS server WHERE census.epoch IS DISTINCT FROM server.epoch;
    has_begun := FOUND;
    -- In the order of the key, so that two servers which see the same devices wait for each other and do not deadlock.
    INSERT INTO sync.census_device AS old (app, device, version, first_seen, last_seen, outbox_age)
    SELECT new.* FROM unnest(apps, devices, versions, firsts, lasts, ages)
        AS new (app, device, version, first_seen, last_seen, outbox_age)
    WHERE NOT EXISTS (
        SELECT FROM sync.census_device AS known
        WHERE (known.app, known.device, known.version) = (new.app, new.device, new.version)
            AND new.last_seen < known.last_seen + make_interval(secs => unmoved_seconds)
            AND (new.outbox_age IS NULL OR new.last_seen < known.last_seen
                OR coalesce(abs(new.outbox_age - known.outbox_age) < unmoved_seconds, false)))
    ORDER BY 1, 2, 3
    ON CONFLICT (app, device, version) DO UPDATE SET
        first_seen = least(old.first_seen, excluded.first_seen),
        last_seen = greatest(old.last_seen, excluded.last_seen),
        outbox_age = CASE WHEN excluded.last_seen < old.last_seen THEN coalesce(old.outbox_age, excluded.outbox_age)
            ELSE coalesce(excluded.outbox_age, old.outbox_age) END;
    GET DIAGNOSTICS written = ROW_COUNT;
END
$$;

-- A year is more than any contract migration asks about. Whoever comes back after that is counted again.
CREATE FUNCTION sync.forget_devices(of_app text, at_most bigint) RETURNS bigint
    LANGUAGE sql
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
    WITH gone AS (
        DELETE FROM sync.census_device AS old
        USING (
            SELECT app, device, version FROM sync.census_device
            WHERE app = of_app AND last_seen < now() - interval '1 year' LIMIT at_most) AS hit
        WHERE (old.app, old.device, old.version) = (hit.app, hit.device, hit.version)
            AND old.last_seen < now() - interval '1 year'
        RETURNING 1)
    SELECT count(*) FROM gone
$$;

CREATE FUNCTION sync.count_forgettable_devices(of_app text) RETURNS bigint
    LANGUAGE sql
    STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
    SELECT count(*) FROM sync.census_device WHERE app = of_app AND last_seen < now() - interval '1 year'
$$;

REVOKE ALL ON FUNCTION
    sync.see_devices(timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[]),
    sync.forget_devices(text, bigint), sync.count_forgettable_devices(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    sync.see_devices(timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[]),
    sync.forget_devices(text, bigint), sync.count_forgettable_devices(text) TO syncserver_serving;
