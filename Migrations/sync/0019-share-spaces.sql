-- People share spaces: who is in one and as what, who is invited, and what is left of a space that was erased.

CREATE TABLE sync.member (
    space_id    uuid        NOT NULL,
    app         text        NOT NULL,
    -- Whom tokens speak for.
    subject     text        NOT NULL CHECK (pg_catalog.octet_length(subject) BETWEEN 1 AND 255),
    role        text        NOT NULL CHECK (role IN ('reader', 'editor', 'owner')),
    -- Whether it is what ‘spaces/me’ means for the subject.
    is_personal boolean     NOT NULL DEFAULT false,
    since       timestamptz NOT NULL DEFAULT pg_catalog.now(),
    PRIMARY KEY (space_id, app, subject)
);

CREATE INDEX member_subject ON sync.member (subject, app);
CREATE UNIQUE INDEX member_personal ON sync.member (app, subject) WHERE is_personal;

ALTER TABLE sync.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.member FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.member
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.member');

GRANT SELECT, INSERT, UPDATE, DELETE ON sync.member TO syncserver_serving;

-- Each can be accepted once. Only the SHA-256 of the secret is kept.
CREATE TABLE sync.invitation (
    space_id      uuid        NOT NULL,
    app           text        NOT NULL,
    invitation_id uuid        NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
    secret_hash   bytea       NOT NULL UNIQUE CHECK (pg_catalog.length(secret_hash) = 32),
    role          text        NOT NULL CHECK (role IN ('reader', 'editor', 'owner')),
    made_by       text        NOT NULL,
    made_at       timestamptz NOT NULL DEFAULT pg_catalog.now(),
    expires_at    timestamptz NOT NULL,
    PRIMARY KEY (space_id, app, invitation_id)
);

ALTER TABLE sync.invitation ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.invitation FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.invitation
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.invitation');

GRANT SELECT, INSERT, DELETE ON sync.invitation TO syncserver_serving;

-- A token may name no space: then it reaches those that its subject is in.
ALTER TABLE sync.token DROP CONSTRAINT token_spaces_check;

-- What subjects are in, over the walls between spaces: the server asks it for whom a token stands.
CREATE FUNCTION sync.memberships(of_subject text)
    RETURNS TABLE (app text, space_id uuid, role text, is_personal boolean)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT m.app, m.space_id, m.role, m.is_personal FROM sync.member AS m
        WHERE m.subject = of_subject ORDER BY m.since, m.space_id;
END
$$;

REVOKE ALL ON FUNCTION sync.memberships(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.memberships(text) TO syncserver_serving;

-- The same for whoever is to be shown them, or erased: with how many others are in each.
CREATE FUNCTION sync.list_spaces(of_app text, of_subject text)
    RETURNS TABLE (space_id uuid, role text, is_personal boolean, since timestamptz, members bigint, owners bigint)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT m.space_id, m.role, m.is_personal, m.since, count(*), count(*) FILTER (WHERE o.role = 'owner')
        FROM sync.member AS m JOIN sync.member AS o ON o.space_id = m.space_id AND o.app = m.app
        WHERE m.subject = of_subject AND m.app = of_app
        GROUP BY m.space_id, m.app, m.subject ORDER BY m.since, m.space_id;
END
$$;

REVOKE ALL ON FUNCTION sync.list_spaces(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.list_spaces(text, text) TO syncserver_serving;

-- Lets what changes who is in a space go one after the other, so that two cannot take the last owner away. Pushes do not wait.
CREATE FUNCTION sync.lock_members(of_space uuid) RETURNS void
    LANGUAGE sql
    SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('sync.member ' || of_space::text, 0))
$$;

-- Takes an invitation up. Nothing for a secret that is none (any more). A member who is as much already stays that, and the
-- invitation stays for somebody else. `members_max` and `spaces_max` bound the space's members and the subject's spaces;
-- beyond them `role` is NULL, and nothing happens.
CREATE FUNCTION sync.accept_invitation(
    of_app text, of_secret bytea, by_subject text, members_max bigint, spaces_max bigint)
    RETURNS TABLE (space_id uuid, role text)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    found_one sync.invitation;
    old_role text;
    ranks CONSTANT text[] := ARRAY['reader', 'editor', 'owner'];
BEGIN
    SELECT * INTO found_one FROM sync.invitation AS i
    WHERE i.secret_hash = of_secret AND i.app = of_app AND i.expires_at > now();
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM sync.lock_members(found_one.space_id);
    SELECT m.role INTO old_role FROM sync.member AS m
    WHERE m.space_id = found_one.space_id AND m.app = of_app AND m.subject = by_subject;
    IF old_role IS NOT NULL AND array_position(ranks, old_role) >= array_position(ranks, found_one.role) THEN
        RETURN QUERY SELECT found_one.space_id, old_role;
        RETURN;
    END IF;
    IF old_role IS NULL AND (
        (SELECT count(*) FROM sync.member AS m WHERE m.space_id = found_one.space_id AND m.app = of_app) >= members_max
        OR (SELECT count(*) FROM sync.member AS m WHERE m.app = of_app AND m.subject = by_subject) >= spaces_max
    ) THEN
        RETURN QUERY SELECT found_one.space_id, NULL::text;
        RETURN;
    END IF;
    -- Of two who try it at once the other finds nothing: it was withdrawn or accepted while we waited.
    DELETE FROM sync.invitation AS i WHERE i.secret_hash = of_secret;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO sync.member AS m (space_id, app, subject, role)
    VALUES (found_one.space_id, of_app, by_subject, found_one.role)
    ON CONFLICT (space_id, app, subject) DO UPDATE SET role = excluded.role;
    RETURN QUERY SELECT found_one.space_id, found_one.role;
END
$$;

REVOKE ALL ON FUNCTION sync.accept_invitation(text, bytea, text, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.accept_invitation(text, bytea, text, bigint, bigint) TO syncserver_serving;

-- Spaces that are erased. Their rows in `sync.space` stay: without them a device that comes late would begin the space again. From
-- then on their `level` is the highest that there can be, so that servers of the release before leave them alone, too.
CREATE TABLE sync.erasure (
    space_id uuid        NOT NULL,
    app      text        NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    -- NULL: not yet to the end.
    ended_at timestamptz,
    PRIMARY KEY (space_id, app)
);

CREATE INDEX erasure_begun ON sync.erasure (app) WHERE ended_at IS NULL;

ALTER TABLE sync.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.erasure FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.erasure
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.erasure');

GRANT SELECT, INSERT, UPDATE ON sync.erasure TO syncserver_serving;

-- Removes up to `rows_max` rows of a space, whichever tables they are in, so that no table can be forgotten: all that have a
-- column for the space. Says how many went from which; nothing once all are gone. The space must be closed.
CREATE FUNCTION sync.erase_rows(of_app text, of_space uuid, rows_max bigint)
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
    PERFORM FROM sync.erasure AS e WHERE e.space_id = of_space AND e.app = of_app;
    IF NOT FOUND THEN RAISE EXCEPTION 'space % of % is not being erased', of_space, of_app; END IF;
    FOR place IN
        SELECT c.oid::regclass AS walled, n.nspname || '.' || c.relname AS name, a.attname AS space,
            EXISTS (SELECT FROM pg_attribute AS b
                WHERE b.attrelid = c.oid AND b.attname = 'app' AND NOT b.attisdropped) AS has_app
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname IN ('space_id', 'space') AND NOT a.attisdropped
                AND a.atttypid = 'uuid'::regtype
        WHERE n.nspname IN ('sync', of_app) AND c.relkind IN ('r', 'p') AND c.oid NOT IN ('sync.space'::regclass, 'sync.erasure'::regclass)
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

REVOKE ALL ON FUNCTION sync.erase_rows(text, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.erase_rows(text, uuid, bigint) TO syncserver_serving;

-- Spaces whose erasure began so long ago that it was interrupted, for whoever completes it.
CREATE FUNCTION sync.list_erasing(of_app text, begun_before timestamptz) RETURNS TABLE (space_id uuid)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT e.space_id FROM sync.erasure AS e
        WHERE e.app = of_app AND e.begun_at < begun_before AND e.ended_at IS NULL ORDER BY e.space_id;
END
$$;

REVOKE ALL ON FUNCTION sync.list_erasing(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.list_erasing(text, timestamptz) TO syncserver_serving;

-- Removes what is kept of a subject itself in an app, its tokens with it. What it wrote goes with its spaces.
CREATE FUNCTION sync.forget_subject(of_app text, of_subject text)
    RETURNS TABLE (table_name text, row_count bigint)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM sync.invitation AS i WHERE i.app = of_app AND i.made_by = of_subject;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'sync.invitation', gone; END IF;
    DELETE FROM sync.member AS m WHERE m.app = of_app AND m.subject = of_subject;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'sync.member', gone; END IF;
    DELETE FROM sync.token AS t WHERE t.app = of_app AND t.subject = of_subject;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'sync.token', gone; END IF;
END
$$;

REVOKE ALL ON FUNCTION sync.forget_subject(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.forget_subject(text, text) TO syncserver_serving;
