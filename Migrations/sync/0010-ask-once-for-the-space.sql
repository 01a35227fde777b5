-- The wall between spaces asks once in a statement which space the transaction is in, not once for each row: a sub-select
-- without references is run once and its answer kept (“InitPlan” in EXPLAIN).
-- That was 4 % of all that PostgreSQL did for a large push.

CREATE OR REPLACE FUNCTION sync.enroll(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', record_table);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', record_table);
    EXECUTE format(
        'CREATE POLICY space ON %s USING (space_id = (SELECT current_setting(''sync.space'')::uuid))', record_table);
    PERFORM sync.admit_owner(record_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO syncserver_serving', record_table);
END
$$;

DO $$
DECLARE
    walled regclass;
BEGIN
    FOR walled IN SELECT polrelid FROM pg_catalog.pg_policy WHERE polname = 'space' ORDER BY polrelid LOOP
        EXECUTE format(
            'ALTER POLICY space ON %s USING (space_id = (SELECT current_setting(''sync.space'')::uuid))', walled);
    END LOOP;
END
$$;
