-- Servers of neighbouring releases at work side by side, and changes of many spaces' rows by migrations.

-- The highest number of the app's migrations that a server knew which has pushed into the space. A server that knows fewer
-- would not fill what newer ones added, and leaves the space's pushes to them. NULL: none has said so.
ALTER TABLE sync.space ADD COLUMN level integer;

-- How many of an app's migrations the server of this session knows; 0 where it has not said so. For triggers that fill what
-- a server of the release before does not know.
CREATE FUNCTION sync.writer_level(app text) RETURNS integer
    LANGUAGE sql STABLE
    SET search_path = pg_catalog
AS $$
    SELECT coalesce(nullif(current_setting('sync.level_' || app, true), ''), '0')::integer
$$;

-- Row-level security is forced on the tables' owner too, so that nobody reads over a wall by mistake. A migration runs as the
-- owner, and concerns all spaces. The serving role is no member of the owner.
CREATE FUNCTION sync.admit_owner(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    EXECUTE format(
        'CREATE POLICY owner ON %s TO %s USING (true)', record_table,
        (SELECT relowner::regrole FROM pg_class WHERE oid = record_table));
END
$$;

CREATE OR REPLACE FUNCTION sync.enroll(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', record_table);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', record_table);
    EXECUTE format(
        'CREATE POLICY space ON %s USING (space_id = current_setting(''sync.space'')::uuid)', record_table);
    PERFORM sync.admit_owner(record_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO syncserver_serving', record_table);
END
$$;

DO $$
DECLARE
    walled regclass;
BEGIN
    FOR walled IN SELECT polrelid FROM pg_catalog.pg_policy WHERE polname = 'space' ORDER BY polrelid LOOP
        PERFORM sync.admit_owner(walled);
    END LOOP;
END
$$;
