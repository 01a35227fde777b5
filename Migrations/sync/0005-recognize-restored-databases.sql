-- A database that was restored from a backup lacks what devices have read. It gets another epoch, so that they notice.

-- Which database this is: NULL until one is served.
ALTER TABLE sync.server ADD COLUMN origin text;

-- Gives a copy of a database an epoch of its own; called by every session that serves. A copy is told by another cluster, another
-- database in it, another table (restored from a dump into the same database), or another timeline (recovered to a point in
-- time, or a standby that was promoted and may lack the last commits).
CREATE FUNCTION sync.recognize() RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog
AS $$
DECLARE
    here text := concat_ws(
        '/',
        (SELECT system_identifier FROM pg_control_system()),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        'sync.server'::regclass::oid,
        left(pg_walfile_name(pg_current_wal_lsn()), 8));
BEGIN
    PERFORM FROM sync.server WHERE origin = here;
    IF NOT FOUND THEN
        UPDATE sync.server
        SET origin = here, epoch = CASE WHEN origin IS NULL THEN epoch ELSE gen_random_uuid() END
        WHERE origin IS DISTINCT FROM here;
    END IF;
END
$$;

REVOKE ALL ON FUNCTION sync.recognize() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.recognize() TO syncserver_serving;
