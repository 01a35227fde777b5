-- Where several spaces stand, for polls that come at the same time and find nothing: one question for all of them instead of
-- a transaction for each.
--
-- It reads over the wall between spaces, as the owner, and so says no more of a space than its number; the server has checked
-- that each caller may read theirs. A space that is not there yet stands at NULL.
CREATE FUNCTION sync.heads(of_app text, wanted uuid[])
    RETURNS TABLE (head bigint, epoch uuid, horizon bigint, level integer)
    -- Not sql, whose statements are planned again in every statement that calls them.
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog
    -- A search by keys, whatever they are: planned once in a session.
    SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT s.head, e.epoch, s.horizon, s.level
        FROM unnest(wanted) WITH ORDINALITY AS w (space_id, place)
            CROSS JOIN sync.server AS e
            LEFT JOIN sync.space AS s ON s.space_id = w.space_id AND s.app = of_app
        ORDER BY w.place;
END
$$;

REVOKE ALL ON FUNCTION sync.heads(text, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.heads(text, uuid[]) TO syncserver_serving;
