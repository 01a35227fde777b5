-- Whoever serves needs a login that can become the serving role and nothing else; whoever migrates must be able to become it too,
-- to look at the wall from there.

-- Since PostgreSQL 16 a role that makes another may grant it, and may not take it on: as a member it has ADMIN and not SET. The
-- first file of this line takes any member for one that may.
DO $$
BEGIN
    IF pg_catalog.current_setting('server_version_num')::integer >= 160000 THEN
        IF NOT pg_catalog.pg_has_role(current_user, 'syncserver_serving', 'SET') THEN
            EXECUTE pg_catalog.format('GRANT syncserver_serving TO %I WITH INHERIT FALSE, SET TRUE', current_user);
        END IF;
    END IF;
END
$$;

-- A server reads it to know whether it may start. Where the first file made the role, the ledger was there before it.
GRANT SELECT ON sync.migration_step TO syncserver_serving;

-- A search path that does not name pg_temp begins with it: then a caller's temporary table stands for one of the catalog's, in a
-- function that has its owner's powers.
ALTER FUNCTION sync.enroll(regclass) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.admit_owner(regclass) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.expect_large_spaces(regclass) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.list_space() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.list_held() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.note_clamp() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.recognize() SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.writer_level(text) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.see_devices(
    timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[]
) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.forget_devices(text, bigint) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.count_forgettable_devices(text) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sync.heads(text, uuid[]) SET search_path = pg_catalog, pg_temp;
