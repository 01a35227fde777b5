-- Who may do what in a space is asked where it is done; what is erased gets no rows any more; and the serving role reaches less.

-- phase: expand

-- Counts what took rights in the space from somebody: a member that went, or has another role. A push and a pull read it with the
-- space's row, under the same lock or in the same snapshot; where it is not what their sender's rights were read with, these are
-- read again. So a push that is stored was its sender's right when it was, whenever the request began and whichever server it is.
ALTER TABLE sync.space ADD COLUMN rights bigint NOT NULL DEFAULT 0;

-- Called by a trigger, whoever changes members. It waits for the push that holds the space's row, and pushes that come later wait for it.
CREATE FUNCTION sync.note_rights() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE sync.space SET rights = rights + 1 WHERE space_id = OLD.space_id AND app = OLD.app;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION sync.note_rights() FROM PUBLIC;

-- Where the spaces stand, in their order, as `sync.read_spaces` says it to servers of the release before; and the count of rights.
CREATE FUNCTION sync.space_states(of_app text, wanted uuid[])
    RETURNS TABLE (
        head bigint, epoch uuid, horizon bigint, level integer, era bigint, ended_eras bigint[], rights bigint)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.rights
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

REVOKE ALL ON FUNCTION sync.space_states(text, uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.space_states(text, uuid[]) TO syncserver_serving;

-- What a subject is in, and the count of rights that this was read with.
CREATE FUNCTION sync.rights_of(of_subject text)
    RETURNS TABLE (app text, space_id uuid, role text, is_personal boolean, rights bigint)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT m.app, m.space_id, m.role, m.is_personal, coalesce(s.rights, 0)
        FROM sync.member AS m LEFT JOIN sync.space AS s ON s.space_id = m.space_id AND s.app = m.app
        WHERE m.subject = of_subject ORDER BY m.since, m.space_id;
END
$$;

REVOKE ALL ON FUNCTION sync.rights_of(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.rights_of(text) TO syncserver_serving;

-- The tokens with these hashes that are valid. So the serving role, and what speaks for it, sees no hash that it does not know.
CREATE FUNCTION sync.find_tokens(wanted bytea[])
    RETURNS TABLE (
        secret_hash bytea, app text, subject text, role text, spaces uuid[], expires_at timestamptz,
        last_used_at timestamptz)
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT t.secret_hash, t.app, t.subject, t.role, t.spaces, t.expires_at, t.last_used_at
        FROM sync.token AS t
        WHERE t.secret_hash = ANY (wanted) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now());
END
$$;

REVOKE ALL ON FUNCTION sync.find_tokens(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.find_tokens(bytea[]) TO syncserver_serving;

-- Lets what a subject makes, accepts and erases go one after the other. Before `sync.lock_members`, never after it.
CREATE FUNCTION sync.lock_subject(of_app text, of_subject text) RETURNS void
    LANGUAGE sql
    SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('sync.subject ' || of_app || ' ' || of_subject, 0))
$$;

-- What stands for a subject where its name must not: whether two are the same can be seen, and not who it is.
CREATE FUNCTION sync.subject_hash(of_app text, of_subject text) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path = pg_catalog, pg_temp
AS $$
    SELECT sha256(convert_to(of_app || ' ' || of_subject, 'UTF8'))
$$;

-- Accounts that were erased, for as long as a token of an identity provider may be about that was issued before. Tokens of our own
-- are gone with the account.
CREATE TABLE sync.account_erasure (
    app          text        NOT NULL,
    subject_hash bytea       NOT NULL,
    erased_at    timestamptz NOT NULL,
    PRIMARY KEY (app, subject_hash)
);

-- Nothing gets a member or an invitation that is erased. Whoever closes a space holds the lock of its members, as who adds one does.
CREATE FUNCTION sync.refuse_erased() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM sync.erasure AS e WHERE e.space_id = NEW.space_id AND e.app = NEW.app;
    IF FOUND THEN RAISE EXCEPTION 'the space was erased'; END IF;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION sync.refuse_erased() FROM PUBLIC;

-- Whether a token still stands for a subject: asked under the subject's lock, before it gets something. Of our own tokens by the
-- hash; of an identity provider's, which has none here, by when it was issued.
CREATE FUNCTION sync.stands_for(of_app text, of_subject text, of_hash bytea, issued timestamptz) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF issued IS NULL THEN
        RETURN EXISTS (
            SELECT FROM sync.token AS t
            WHERE t.secret_hash = of_hash AND t.subject = of_subject AND (t.app IS NULL OR t.app = of_app)
                AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()));
    END IF;
    RETURN NOT EXISTS (
        SELECT FROM sync.account_erasure AS a
        WHERE a.app = of_app AND a.subject_hash = sync.subject_hash(of_app, of_subject) AND a.erased_at >= issued);
END
$$;

REVOKE ALL ON FUNCTION sync.stands_for(text, text, bytea, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.stands_for(text, text, bytea, timestamptz) TO syncserver_serving;

-- How many spaces a subject has, with those that it erased within a day: who makes and erases them in turn has none to spare.
CREATE FUNCTION sync.count_spaces(of_app text, of_subject text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT count(*) FROM sync.member AS m WHERE m.app = of_app AND m.subject = of_subject)
        + (SELECT count(*) FROM sync.erasure AS e
            WHERE e.subject_hash = sync.subject_hash(of_app, of_subject) AND e.app = of_app
                AND e.begun_at > now() - interval '1 day');
END
$$;

REVOKE ALL ON FUNCTION sync.count_spaces(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.count_spaces(text, text) TO syncserver_serving;

-- As before; but whoever made the invitation must still own the space, and what a subject has is counted under its lock.
CREATE OR REPLACE FUNCTION sync.accept_invitation(
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
    PERFORM sync.lock_subject(of_app, by_subject);
    PERFORM sync.lock_members(found_one.space_id);
    -- What is asked from here on nobody changes any more. Of a space that was erased nobody is an owner.
    PERFORM FROM sync.member AS m
    WHERE m.space_id = found_one.space_id AND m.app = of_app AND m.subject = found_one.made_by AND m.role = 'owner';
    IF NOT FOUND THEN RETURN; END IF;
    SELECT m.role INTO old_role FROM sync.member AS m
    WHERE m.space_id = found_one.space_id AND m.app = of_app AND m.subject = by_subject;
    IF old_role IS NOT NULL AND array_position(ranks, old_role) >= array_position(ranks, found_one.role) THEN
        RETURN QUERY SELECT found_one.space_id, old_role;
        RETURN;
    END IF;
    IF old_role IS NULL AND (
        (SELECT count(*) FROM sync.member AS m WHERE m.space_id = found_one.space_id AND m.app = of_app) >= members_max
        OR sync.count_spaces(of_app, by_subject) >= spaces_max
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

-- As before, without spaces that are being erased.
CREATE OR REPLACE FUNCTION sync.list_spaces(of_app text, of_subject text)
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
            AND NOT EXISTS (SELECT FROM sync.erasure AS e WHERE e.space_id = m.space_id AND e.app = m.app)
        GROUP BY m.space_id, m.app, m.subject ORDER BY m.since, m.space_id;
END
$$;

-- Ends what is kept of a subject itself, once it is in no space any more. Its tokens go by the word of one of them: whoever has
-- none of them cannot have them removed. Tokens of identity providers are told by `sync.account_erasure` from what comes later.
CREATE FUNCTION sync.forget_account(of_app text, of_subject text, by_token bytea)
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
    PERFORM FROM sync.token AS t WHERE t.secret_hash = by_token AND t.subject = of_subject AND t.revoked_at IS NULL;
    IF NOT FOUND THEN RETURN; END IF;
    DELETE FROM sync.token AS t WHERE t.app = of_app AND t.subject = of_subject;
    GET DIAGNOSTICS gone = ROW_COUNT;
    IF gone > 0 THEN RETURN QUERY SELECT 'sync.token', gone; END IF;
END
$$;

REVOKE ALL ON FUNCTION sync.forget_account(text, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.forget_account(text, text, bytea) TO syncserver_serving;

-- Removes up to `rows_max` marks of spaces that a member had erased before then, and those of accounts. Such a space is reached by
-- its members only, who are none any more. One that a token names keeps its mark, or whoever has the token could begin it again.
CREATE FUNCTION sync.forget_erasures(of_app text, ended_before timestamptz, rows_max bigint) RETURNS bigint
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
        LIMIT rows_max);
    DELETE FROM sync.erasure AS e WHERE e.app = of_app AND e.space_id = ANY (wanted);
    DELETE FROM sync.space AS s WHERE s.app = of_app AND s.space_id = ANY (wanted);
    RETURN cardinality(wanted);
END
$$;

REVOKE ALL ON FUNCTION sync.forget_erasures(text, timestamptz, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.forget_erasures(text, timestamptz, bigint) TO syncserver_serving;

-- phase: expand

CREATE TRIGGER note_rights AFTER DELETE OR UPDATE OF role ON sync.member
    FOR EACH ROW EXECUTE FUNCTION sync.note_rights();
CREATE TRIGGER refuse_erased BEFORE INSERT ON sync.member
    FOR EACH ROW EXECUTE FUNCTION sync.refuse_erased();

-- phase: expand

CREATE TRIGGER refuse_erased BEFORE INSERT ON sync.invitation
    FOR EACH ROW EXECUTE FUNCTION sync.refuse_erased();

-- phase: expand

-- Who erased a space, so that spaces that come and go are counted; NULL: an operator.
ALTER TABLE sync.erasure ADD COLUMN subject_hash bytea;

-- phase: expand
-- migrate: transaction=none

CREATE INDEX CONCURRENTLY IF NOT EXISTS erasure_subject
    ON sync.erasure (subject_hash, begun_at) WHERE subject_hash IS NOT NULL;

-- phase: contract

-- Servers of the release before read tokens from the table, and had anybody's removed by name.
REVOKE SELECT ON sync.token FROM syncserver_serving;
REVOKE ALL ON FUNCTION sync.forget_subject(text, text) FROM syncserver_serving;
REVOKE ALL ON FUNCTION sync.memberships(text) FROM syncserver_serving;
