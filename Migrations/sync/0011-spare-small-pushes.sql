-- What every push does to its space's row, with less around it.

ALTER TABLE sync.space
    -- Whether stamps of the space were ever brought back (sync.clamp), so that only pushes into such spaces look for them.
    -- Into the spaces that are there nobody has looked yet.
    ADD COLUMN clamped boolean NOT NULL DEFAULT true,
    ALTER COLUMN clamped SET DEFAULT false,
    -- PostgreSQL reads the text of CHECK constraints anew for each statement that writes (ExecRelCheck in execMain.c). Of a
    -- push of one record that was 5 % of all that it did; the numbers are the server's own, and only grow.
    DROP CONSTRAINT space_head_check,
    DROP CONSTRAINT space_horizon_check,
    DROP CONSTRAINT space_swept_check;

-- By a trigger, because servers of the release before remember stamps too.
CREATE FUNCTION sync.note_clamp() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    UPDATE sync.space SET clamped = true WHERE space_id = NEW.space_id AND app = NEW.app AND NOT clamped;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_clamp AFTER INSERT ON sync.clamp
    FOR EACH ROW EXECUTE FUNCTION sync.note_clamp();
