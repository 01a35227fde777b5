-- Two things that were taken for granted: that every server could write the census down, and that nobody but the serving role has
-- privileges on tables.

-- phase: expand

-- The census proves that nobody uses a version only for the time in which every server could write down what it saw.

-- Since when that is so. NULL: no server has said so yet.
ALTER TABLE sync.census ADD COLUMN watched_since timestamptz;

-- The servers at work, and those that ended without having written all that they saw. One that ends in order takes its row away.
CREATE TABLE sync.census_server (
    -- Of the process, by chance. While it is at work, it holds the advisory lock (1937337955, server) on a session of its own.
    server        bigint      PRIMARY KEY,
    -- What it saw up to then is written.
    counted_until timestamptz NOT NULL
);

-- A server says that what it saw so far is written. It also clears up behind those that are gone without a word: where one had not
-- written for longer than `unnoticed_seconds`, nobody knows what it saw, and the census proves nothing of before now.
CREATE FUNCTION sync.count_server(of_server bigint, at timestamptz, unnoticed_seconds bigint) RETURNS void
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
        RETURNING s.counted_until)
    SELECT coalesce(bool_or(gone.counted_until < at - make_interval(secs => unnoticed_seconds)), false) INTO lost FROM gone;
    -- `since` moves where the database has become another one.
    UPDATE sync.census AS c SET watched_since = greatest(at, c.since)
    WHERE lost OR c.watched_since IS NULL OR c.watched_since < c.since;
    INSERT INTO sync.census_server AS s (server, counted_until) VALUES (of_server, at)
    ON CONFLICT (server) DO UPDATE SET counted_until = greatest(s.counted_until, excluded.counted_until);
END
$$;

-- A server has written all that it saw, and ends.
CREATE FUNCTION sync.end_counting(of_server bigint) RETURNS void
    LANGUAGE sql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
    DELETE FROM sync.census_server WHERE server = of_server
$$;

REVOKE ALL ON FUNCTION sync.count_server(bigint, timestamptz, bigint), sync.end_counting(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.count_server(bigint, timestamptz, bigint), sync.end_counting(bigint) TO syncserver_serving;

-- phase: contract

-- The wall lets the serving role through, in its space, and nobody else. Servers of the release before start only where it lets
-- everybody through who names a space: privileges are what kept others out, and a database may give those by default.
CREATE OR REPLACE FUNCTION sync.enroll(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', record_table);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', record_table);
    EXECUTE format(
        'CREATE POLICY space ON %s TO syncserver_serving USING (space_id = (SELECT current_setting(''sync.space'')::uuid))',
        record_table);
    PERFORM sync.admit_owner(record_table);
    PERFORM sync.expect_large_spaces(record_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO syncserver_serving', record_table);
END
$$;

DO $$
DECLARE
    walled regclass;
BEGIN
    FOR walled IN SELECT polrelid FROM pg_catalog.pg_policy WHERE polname = 'space' ORDER BY polrelid LOOP
        EXECUTE pg_catalog.format('ALTER POLICY space ON %s TO syncserver_serving', walled);
    END LOOP;
END
$$;
