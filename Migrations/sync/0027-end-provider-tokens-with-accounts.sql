-- What an identity provider issued before an account was erased stands for nobody any more, whatever its subject is given later; and
-- a space that providers' tokens may name is not begun again after its mark has gone.

-- phase: expand

-- Of these apps, those in which the subject's account was erased, and when.
CREATE FUNCTION sync.erasures_of(of_apps text[], of_subject text)
    RETURNS TABLE (app text, erased_at timestamptz)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT a.app, a.erased_at
        FROM unnest(of_apps) AS wanted (app) JOIN sync.account_erasure AS a
            ON a.app = wanted.app AND a.subject_hash = sync.subject_hash(wanted.app, of_subject);
END
$$;

REVOKE ALL ON FUNCTION sync.erasures_of(text[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.erasures_of(text[], text) TO syncserver_serving;

-- As the function of the same name, and with when the token was issued by which it is asked: a provider's clock may be ahead, and
-- that token ends with the account, too. NULL: one of our own.
CREATE FUNCTION sync.forget_account(of_app text, of_subject text, by_token bytea, issued timestamptz)
    RETURNS TABLE (table_name text, row_count bigint)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    gone bigint;
BEGIN
    INSERT INTO sync.account_erasure AS a (app, subject_hash, erased_at)
    -- No further ahead than any provider's clock may be.
    VALUES (of_app, sync.subject_hash(of_app, of_subject), greatest(now(), least(issued, now() + interval '5 min')))
    ON CONFLICT (app, subject_hash) DO UPDATE SET erased_at = greatest(a.erased_at, excluded.erased_at);
    -- In the order in which servers write them.
    PERFORM FROM sync.census_device AS c
    WHERE c.subject_hash = sync.census_subject(of_app, of_subject) AND c.app = of_app
    ORDER BY c.app, c.device, c.version FOR UPDATE;
    UPDATE sync.census_device AS c SET subject_hash = NULL
    WHERE c.subject_hash = sync.census_subject(of_app, of_subject) AND c.app = of_app;
    PERFORM FROM sync.token AS t WHERE t.secret_hash = by_token AND t.subject = of_subject AND t.revoked_at IS NULL;
    IF NOT FOUND THEN RETURN; END IF;
    DELETE FROM sync.token AS t WHERE t.app = of_app AND t.subject = of_subject;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'sync.token', gone; END IF;
END
$$;

REVOKE ALL ON FUNCTION sync.forget_account(text, text, bytea, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.forget_account(text, text, bytea, timestamptz) TO syncserver_serving;

-- Whether a server let in by tokens of providers that name spaces (‘claims.spaces’), ever: the database does not know which ones.
ALTER TABLE sync.server ADD COLUMN providers_name_spaces boolean NOT NULL DEFAULT false;

-- Says so, for good.
CREATE FUNCTION sync.expect_named_spaces() RETURNS void
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE sync.server SET providers_name_spaces = true WHERE NOT providers_name_spaces;
END
$$;

REVOKE ALL ON FUNCTION sync.expect_named_spaces() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.expect_named_spaces() TO syncserver_serving;

-- As before; but where providers name spaces, all keep their marks.
CREATE OR REPLACE FUNCTION sync.forget_erasures(of_app text, ended_before timestamptz, rows_max bigint) RETURNS bigint
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wanted uuid[];
BEGIN
    DELETE FROM sync.account_erasure AS a WHERE a.app = of_app AND a.erased_at < ended_before;
    wanted := ARRAY(
        SELECT e.space_id FROM sync.erasure AS e
        WHERE e.app = of_app AND e.ended_at < ended_before AND e.subject_hash IS NOT NULL
            AND e.space_id NOT IN (SELECT unnest(t.spaces) FROM sync.token AS t)
            AND NOT (SELECT s.providers_name_spaces FROM sync.server AS s)
        LIMIT rows_max);
    DELETE FROM sync.erasure AS e WHERE e.app = of_app AND e.space_id = ANY (wanted);
    DELETE FROM sync.space AS s WHERE s.app = of_app AND s.space_id = ANY (wanted);
    RETURN cardinality(wanted);
END
$$;

-- phase: contract

DROP FUNCTION sync.forget_account(text, text, bytea);
