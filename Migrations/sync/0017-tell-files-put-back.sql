-- Files of a cluster that were put back lack what devices have read, and nothing that `recognize` looked at tells them from the
-- originals. But PostgreSQL must start to read them. So an era is what happens between two of its starts, and has a random mark; a
-- space knows the mark of the era of its last push, and of those before that which head they ended with; and a cursor carries the
-- mark that its space had. One with a mark that the space never had, or with a number beyond the end of its era, is of what was lost.

-- phase: expand
-- NULL: no session that serves has begun one.
ALTER TABLE sync.server
    ADD COLUMN era bigint,
    -- When PostgreSQL started in it.
    ADD COLUMN started timestamptz;

-- phase: expand
ALTER TABLE sync.space
    -- NULL: nothing was pushed since the server knows of eras.
    ADD COLUMN era bigint,
    -- For each era before in which something was pushed its mark and the head at its end, the latest first; NULL: none.
    ADD COLUMN ended_eras bigint[];

-- Gives a copy of a database an epoch of its own, and each start of PostgreSQL an era; called by every session that serves, and none
-- outlives PostgreSQL. A copy is told by another cluster, another database in it, another table (restored from a dump into the same
-- database), or another timeline (recovered to a point in time, or a standby that was promoted and may lack the last commits).
CREATE OR REPLACE FUNCTION sync.recognize() RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here text := concat_ws(
        '/',
        (SELECT system_identifier FROM pg_control_system()),
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        'sync.server'::regclass::oid,
        left(pg_walfile_name(pg_current_wal_lsn()), 8));
    start timestamptz := pg_postmaster_start_time();
BEGIN
    PERFORM FROM sync.server WHERE origin = here AND started = start;
    IF NOT FOUND THEN
        UPDATE sync.server
        SET epoch = CASE WHEN origin IS NULL OR origin = here THEN epoch ELSE gen_random_uuid() END,
            origin = here,
            era = hashtextextended(gen_random_uuid()::text, 0),
            started = start
        WHERE origin IS DISTINCT FROM here OR started IS DISTINCT FROM start;
    END IF;
END
$$;

-- As `sync.heads`, which servers of the release before call, and with the eras. A range and an order leave the index as the one plan:
-- planned while there were no spaces, that one reads all there are.
CREATE FUNCTION sync.read_spaces(of_app text, wanted uuid[])
    RETURNS TABLE (head bigint, epoch uuid, horizon bigint, level integer, era bigint, ended_eras bigint[])
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    -- A search by keys, whatever they are: planned once in a session.
    SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras
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

REVOKE ALL ON FUNCTION sync.read_spaces(text, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.read_spaces(text, uuid[]) TO syncserver_serving;
