-- The census says how many subjects stand behind the devices that it counts: a device is whatever its client says, and one subject
-- may say it is a thousand.

-- phase: expand

-- The first eight bytes of `sync.subject_hash`, of whoever used it last: enough to count by, and not to tell who it is. NULL: who
-- states no device; a device that was last seen by a server of the release before; one whose subject's account was erased.
ALTER TABLE sync.census_device ADD COLUMN subject_hash bytea;

-- What stands in the census for a subject.
CREATE FUNCTION sync.census_subject(of_app text, of_subject text) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
AS $$
    SELECT substring(sync.subject_hash(of_app, of_subject) FROM 1 FOR 8)
$$;

REVOKE ALL ON FUNCTION sync.census_subject(text, text) FROM PUBLIC;

-- As the function of the same name that servers of the release before call, and with whose device each is. What such a server or
-- one without the subject writes takes no subject away. Whoever has erased an account meanwhile is not written again.
CREATE FUNCTION sync.see_devices(
    seen_at timestamptz, unmoved_seconds bigint, apps text[], devices uuid[], versions text[], firsts timestamptz[],
    lasts timestamptz[], ages bigint[], subjects text[], OUT written bigint, OUT has_begun boolean)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE sync.census AS census SET since = seen_at, epoch = server.epoch
    FROM sync.server AS server WHERE census.epoch IS DISTINCT FROM server.epoch;
    has_begun := FOUND;
    -- In the order of the key, so that two servers which see the same devices wait for each other and do not deadlock.
    INSERT INTO sync.census_device AS old (app, device, version, first_seen, last_seen, outbox_age, subject_hash)
    SELECT new.app, new.device, new.version, new.first_seen, new.last_seen, new.outbox_age,
        CASE WHEN NOT EXISTS (
            SELECT FROM sync.account_erasure AS gone
            WHERE gone.app = new.app AND gone.subject_hash = sync.subject_hash(new.app, new.subject)
                AND gone.erased_at >= new.last_seen)
        THEN sync.census_subject(new.app, new.subject) END
    FROM unnest(apps, devices, versions, firsts, lasts, ages, subjects)
        AS new (app, device, version, first_seen, last_seen, outbox_age, subject)
    WHERE NOT EXISTS (
        SELECT FROM sync.census_device AS known
        WHERE (known.app, known.device, known.version) = (new.app, new.device, new.version)
            AND new.last_seen < known.last_seen + make_interval(secs => unmoved_seconds)
            AND (new.outbox_age IS NULL OR new.last_seen < known.last_seen
                OR coalesce(abs(new.outbox_age - known.outbox_age) < unmoved_seconds, false)))
    ORDER BY 1, 2, 3
    ON CONFLICT (app, device, version) DO UPDATE SET
        first_seen = least(old.first_seen, excluded.first_seen),
        last_seen = greatest(old.last_seen, excluded.last_seen),
        outbox_age = CASE WHEN excluded.last_seen < old.last_seen THEN coalesce(old.outbox_age, excluded.outbox_age)
            ELSE coalesce(excluded.outbox_age, old.outbox_age) END,
        subject_hash = CASE WHEN excluded.last_seen < old.last_seen
            THEN coalesce(old.subject_hash, excluded.subject_hash)
            ELSE coalesce(excluded.subject_hash, old.subject_hash) END;
    GET DIAGNOSTICS written = ROW_COUNT;
END
$$;

REVOKE ALL ON FUNCTION sync.see_devices(
    timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.see_devices(
    timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[], text[]) TO syncserver_serving;

-- As before; and the census forgets whose the account's devices were.
CREATE OR REPLACE FUNCTION sync.forget_account(of_app text, of_subject text, by_token bytea)
    RETURNS TABLE (table_name text, row_count bigint)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    gone bigint;
BEGIN
    INSERT INTO sync.account_erasure AS a (app, subject_hash, erased_at)
    VALUES (of_app, sync.subject_hash(of_app, of_subject), now())
    ON CONFLICT (app, subject_hash) DO UPDATE SET erased_at = excluded.erased_at;
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

-- phase: expand
-- migrate: transaction=none

-- For erasing an account, which asks for its devices.
CREATE INDEX CONCURRENTLY IF NOT EXISTS census_device_subject
    ON sync.census_device (subject_hash) WHERE subject_hash IS NOT NULL;

-- phase: contract

DROP FUNCTION sync.see_devices(timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[]);
