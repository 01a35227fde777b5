-- A space's members are in the directory, and its records may be in another database. So that the directory can say how often
-- rights in the space were taken away, it counts that itself; the row of sync.space in the space's database has what that database
-- was told of it.

-- phase: expand

CREATE TABLE sync.revocation (
    space_id uuid   NOT NULL,
    app      text   NOT NULL,
    count    bigint NOT NULL,
    -- What the space's database was told last. It is told at once, and once more later if that failed.
    told     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (space_id, app)
);

CREATE INDEX revocation_untold ON sync.revocation (app, space_id) WHERE told < count;

ALTER TABLE sync.revocation ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.revocation FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.revocation TO syncserver_serving
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.revocation');

GRANT SELECT, INSERT, DELETE, UPDATE (told) ON sync.revocation TO syncserver_serving;

-- As before, and the count is kept beside the members, too. It is never less than that of the space's row, if the row is here.
CREATE OR REPLACE FUNCTION sync.note_rights() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here bigint;
    counted bigint;
BEGIN
    -- The row's lock comes first, as in a push.
    UPDATE sync.space SET rights = rights + 1 WHERE space_id = OLD.space_id AND app = OLD.app RETURNING rights INTO here;
    INSERT INTO sync.revocation AS r (space_id, app, count) VALUES (OLD.space_id, OLD.app, coalesce(here, 1))
    ON CONFLICT (space_id, app) DO UPDATE SET count = greatest(r.count + 1, excluded.count)
    RETURNING r.count INTO counted;
    IF here IS NOT NULL THEN
        UPDATE sync.space SET rights = counted WHERE space_id = OLD.space_id AND app = OLD.app AND rights < counted;
    END IF;
    PERFORM FROM sync.server AS e WHERE get_bit(e.buckets, uuid_hash(OLD.space_id) & 255) = 1;
    IF FOUND THEN
        UPDATE sync.revocation SET told = counted WHERE space_id = OLD.space_id AND app = OLD.app;
    END IF;
    RETURN NULL;
END
$$;

-- As before; of a space that is in another database, the count that is kept beside its members.
CREATE OR REPLACE FUNCTION sync.rights_of(of_subject text)
    RETURNS TABLE (app text, space_id uuid, role text, is_personal boolean, rights bigint)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT m.app, m.space_id, m.role, m.is_personal, greatest(coalesce(s.rights, 0), coalesce(r.count, 0))
        FROM sync.member AS m
            LEFT JOIN sync.space AS s ON s.space_id = m.space_id AND s.app = m.app
            LEFT JOIN sync.revocation AS r ON r.space_id = m.space_id AND r.app = m.app
        WHERE m.subject = of_subject ORDER BY m.since, m.space_id;
END
$$;

-- The spaces whose database has not been told yet how often rights in them were taken away, for whoever tells it.
CREATE FUNCTION sync.list_untold(of_app text, rows_max bigint) RETURNS TABLE (space_id uuid)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT r.space_id FROM sync.revocation AS r
        WHERE r.app = of_app AND r.told < r.count ORDER BY r.space_id LIMIT rows_max;
END
$$;

REVOKE ALL ON FUNCTION sync.list_untold(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.list_untold(text, bigint) TO syncserver_serving;

-- As before; but the space may be in another database than the mark of its erasure. The count of revocations goes with the mark of
-- the erasure's end.
CREATE OR REPLACE FUNCTION sync.erase_rows(of_app text, of_space uuid, rows_max bigint)
    RETURNS TABLE (table_name text, row_count bigint)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    place record;
    room bigint := rows_max;
    gone bigint;
BEGIN
    -- As the program says it of a space that is shut, wherever the mark of its erasure is.
    PERFORM FROM sync.space AS s WHERE s.space_id = of_space AND s.app = of_app AND s.level = 2147483647;
    IF NOT FOUND THEN RAISE EXCEPTION 'space % of % is not being erased', of_space, of_app; END IF;
    FOR place IN
        SELECT c.oid::regclass AS walled, n.nspname || '.' || c.relname AS name, a.attname AS space,
            EXISTS (SELECT FROM pg_attribute AS b
                WHERE b.attrelid = c.oid AND b.attname = 'app' AND NOT b.attisdropped) AS has_app
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname IN ('space_id', 'space') AND NOT a.attisdropped
                AND a.atttypid = 'uuid'::regtype
        WHERE n.nspname IN ('sync', of_app) AND c.relkind IN ('r', 'p')
            AND c.oid NOT IN ('sync.space'::regclass, 'sync.erasure'::regclass, 'sync.revocation'::regclass)
        ORDER BY n.nspname = 'sync', c.relname
    LOOP
        EXECUTE format(
            'DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$I = $1 %3$s LIMIT $3))',
            place.walled, place.space, CASE WHEN place.has_app THEN 'AND app = $2' ELSE '' END)
        USING of_space, of_app, room;
        GET DIAGNOSTICS gone = ROW_COUNT;
        IF gone > 0 THEN
            RETURN QUERY SELECT place.name, gone;
            room := room - gone;
        END IF;
        EXIT WHEN room <= 0;
    END LOOP;
END
$$;
