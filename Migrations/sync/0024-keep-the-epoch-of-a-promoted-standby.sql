-- A standby that was promoted, or a database that was recovered to a point in time, has another timeline and may lack the last commits.
-- That gave it an epoch of its own, so that each fail-over had all devices read all they have again. Eras tell to the number what
-- is lacked, as where files were put back: whoever read or wrote it notices, and nobody else has to.
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
BEGIN
    PERFORM FROM sync.server WHERE origin = here AND started = start;
    IF NOT FOUND THEN
        UPDATE sync.server
        SET epoch = CASE WHEN origin IS NULL OR starts_with(origin, copy || '/') THEN epoch ELSE gen_random_uuid() END,
            origin = here,
            era = hashtextextended(gen_random_uuid()::text, 0),
            started = start
        WHERE origin IS DISTINCT FROM here OR started IS DISTINCT FROM start;
    END IF;
END
$$;
