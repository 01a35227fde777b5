-- That all which servers saw is in the census is said only where it is.

-- phase: expand

-- Some of what the server saw could not be written, and is not there yet.
ALTER TABLE sync.census_server ADD COLUMN has_missed boolean NOT NULL DEFAULT false;

-- A server could not write what it saw. It counts against gates until the server has written it and says so, or until the next one
-- finds that it is gone.
CREATE FUNCTION sync.miss_devices(of_server bigint, at timestamptz) RETURNS void
    LANGUAGE sql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
    INSERT INTO sync.census_server AS s (server, counted_until, has_missed) VALUES (of_server, at, true)
    ON CONFLICT (server) DO UPDATE SET has_missed = true
$$;

REVOKE ALL ON FUNCTION sync.miss_devices(bigint, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.miss_devices(bigint, timestamptz) TO syncserver_serving;

-- As before; and a server that ended with something unwritten is not forgotten, however lately it had written. What a trigger or a
-- rule keeps from being written here is an error.
CREATE OR REPLACE FUNCTION sync.count_server(of_server bigint, at timestamptz, unnoticed_seconds bigint) RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    lost boolean;
BEGIN
    WITH gone AS (
        DELETE FROM sync.census_server AS s
        WHERE s.server <> of_server AND NOT EXISTS (
            SELECT FROM pg_locks AS l
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid::bigint = 1937337955
                AND l.objid::bigint = s.server
                AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
        RETURNING s.counted_until, s.has_missed)
    SELECT coalesce(bool_or(gone.has_missed OR gone.counted_until < at - make_interval(secs => unnoticed_seconds)), false)
    INTO lost FROM gone;
    -- `since` moves where the database has become another one.
    UPDATE sync.census AS c SET watched_since = greatest(at, c.since)
    WHERE lost OR c.watched_since IS NULL OR c.watched_since < c.since;
    INSERT INTO sync.census_server AS s (server, counted_until) VALUES (of_server, at)
    ON CONFLICT (server) DO UPDATE SET counted_until = greatest(s.counted_until, excluded.counted_until), has_missed = false;
    -- What a trigger puts off to the end of the transaction happens now, and is seen.
    SET CONSTRAINTS ALL IMMEDIATE;
    IF lost AND NOT EXISTS (SELECT FROM sync.census AS c WHERE c.watched_since = greatest(at, c.since)) THEN
        RAISE EXCEPTION 'sync.census did not take that what a server saw is lost: look for triggers and rules on it';
    END IF;
    IF NOT EXISTS (
        SELECT FROM sync.census_server AS s WHERE s.server = of_server AND s.counted_until >= at AND NOT s.has_missed)
    THEN
        RAISE EXCEPTION 'sync.census_server did not take what a server said: look for triggers and rules on it';
    END IF;
END
$$;

-- As before, for servers of the release before too; and what is not there afterwards is an error.
CREATE OR REPLACE FUNCTION sync.see_devices(
    seen_at timestamptz, unmoved_seconds bigint, apps text[], devices uuid[], versions text[], firsts timestamptz[],
    lasts timestamptz[], ages bigint[], subjects text[], OUT written bigint, OUT has_begun boolean)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing bigint;
BEGIN
    UPDATE sync.census AS census SET since = seen_at, epoch = server.epoch
    FROM sync.server AS server WHERE census.epoch IS DISTINCT FROM server.epoch;
    has_begun := FOUND;
    -- In the order of the key, so that two servers which see the same devices wait for each other and do not deadlock.
    INSERT INTO sync.census_device AS old (app, device, version, first_seen, last_seen, outbox_age, subject_hash)
    SELECT new.app, new.device, new.version, new.first_seen, new.last_seen, new.outbox_age,
        CASE WHEN NOT EXISTS (
            SELECT FROM sync.account_erasure AS gone
            WHERE gone.app = new.app AND gone.subject_hash = sync.subject_hash(new.app, new.subject)
                AND gone.erased_at >= new.last_seen)
        THEN sync.census_subject(new.app, new.subject) END
    FROM unnest(apps, devices, versions, firsts, lasts, ages, subjects)
        AS new (app, device, version, first_seen, last_seen, outbox_age, subject)
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
            ELSE coalesce(excluded.outbox_age, old.outbox_age) END,
        subject_hash = CASE WHEN excluded.last_seen < old.last_seen
            THEN coalesce(old.subject_hash, excluded.subject_hash)
            ELSE coalesce(excluded.subject_hash, old.subject_hash) END;
    GET DIAGNOSTICS written = ROW_COUNT;
    -- What a trigger puts off to the end of the transaction happens now, and is seen.
    SET CONSTRAINTS ALL IMMEDIATE;
    SELECT count(*) INTO missing FROM unnest(apps, devices, versions, lasts) AS new (app, device, version, last_seen)
    WHERE NOT EXISTS (
        SELECT FROM sync.census_device AS known
        WHERE (known.app, known.device, known.version) = (new.app, new.device, new.version)
            AND new.last_seen < known.last_seen + make_interval(secs => unmoved_seconds));
    IF missing > 0 THEN
        RAISE EXCEPTION 'sync.census_device did not take % of % rows: look for triggers, rules and policies on it', missing,
            cardinality(apps);
    END IF;
END
$$;
