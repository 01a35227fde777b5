-- PostgreSQL expects few rows of a space that its statistics do not know, such as one that a phone has just begun to fill. Of
-- an index that finds the space and the key that finds the record in it, either will do then, and a push read the whole
-- space through the former. Now it expects one space to hold most of a table: searches by key go by the key, and pages by
-- number by theirs, however many spaces there are. ANALYZE takes it over, by itself within minutes.
CREATE FUNCTION sync.expect_large_spaces(record_table regclass) RETURNS void
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    -- No list of the spaces that are frequent, beside which others count as rare; and no count of how many there are.
    EXECUTE format('ALTER TABLE %s ALTER COLUMN space_id SET STATISTICS 1', record_table);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN space_id SET (n_distinct = 1)', record_table);
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
        'CREATE POLICY space ON %s USING (space_id = (SELECT current_setting(''sync.space'')::uuid))', record_table);
    PERFORM sync.admit_owner(record_table);
    PERFORM sync.expect_large_spaces(record_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO syncserver_serving', record_table);
END
$$;

DO $$
DECLARE
    known regclass;
BEGIN
    FOR known IN
        SELECT p.polrelid FROM pg_catalog.pg_policy AS p
            JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE p.polname = 'space' AND n.nspname <> 'sync'
        ORDER BY p.polrelid
    LOOP
        PERFORM sync.expect_large_spaces(known);
    END LOOP;
END
$$;
