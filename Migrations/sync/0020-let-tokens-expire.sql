-- Tokens that end by themselves, that are replaced, and of which it is known whether anybody still uses them.

ALTER TABLE sync.token
    -- NULL: never.
    ADD COLUMN expires_at timestamptz,
    -- To an hour. NULL: not since this column is there.
    ADD COLUMN last_used_at timestamptz,
    -- The hash of the token that it was made to replace.
    ADD COLUMN rotated_from bytea;

-- The serving role only reads tokens. It tells which are in use through this, and can say nothing else by it. What was written in the
-- last hour is not written again, however many servers tell.
CREATE FUNCTION sync.note_token_uses(hashes bytea[]) RETURNS bigint
    LANGUAGE sql
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
AS $$
    WITH due AS (
        -- In the order of the key, so that two servers which tell of the same tokens do not deadlock; and a token that somebody is
        -- changing is left for the next time.
        SELECT secret_hash FROM sync.token
        WHERE secret_hash = ANY (hashes) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')
        ORDER BY secret_hash FOR UPDATE SKIP LOCKED),
    noted AS (
        UPDATE sync.token AS token SET last_used_at = now() FROM due WHERE token.secret_hash = due.secret_hash
        RETURNING 1)
    SELECT count(*) FROM noted
$$;

REVOKE ALL ON FUNCTION sync.note_token_uses(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sync.note_token_uses(bytea[]) TO syncserver_serving;
