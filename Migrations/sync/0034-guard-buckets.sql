-- Spaces are divided into 256 buckets, so that they can be distributed over several databases. A database says which buckets it
-- serves, and every push and pull asks for its space's bucket in the statement that reads the space's row.

-- phase: expand

-- One bit for each bucket, by its number: 1 if this database serves the spaces of the bucket. The bucket of a space is
-- uuid_hash(space_id) & 255, which a publication's row filter can compute, too.
--
-- The mark is in the row that the statements read anyway, so it costs them nothing, and no request takes a lock for it. Whoever
-- clears a bit commits that, and then waits for all transactions that were writing at that moment. Each statement that begins
-- later reads the bit as cleared.
ALTER TABLE sync.server ADD COLUMN buckets bit(256) NOT NULL
    DEFAULT X'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff';

-- The states of the spaces, in the order of `wanted`, as `sync.space_states` returns them to servers of the release before; and for
-- each space, whether this database serves it.
CREATE FUNCTION sync.read_states(of_app text, wanted uuid[])
    RETURNS TABLE (
        head bigint, epoch uuid, horizon bigint, level integer, era bigint, ended_eras bigint[], rights bigint,
        is_here boolean)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.rights,
            get_bit(e.buckets, uuid_hash(w.space_id) & 255) = 1
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

REVOKE ALL ON FUNCTION sync.read_states(text, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.read_states(text, uuid[]) TO syncserver_serving;

-- phase: contract

REVOKE ALL ON FUNCTION sync.space_states(text, uuid[]) FROM syncserver_serving;
