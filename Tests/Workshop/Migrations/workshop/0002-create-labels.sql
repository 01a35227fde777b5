-- sync: silent
--
-- Version 2.0.0.
--
-- Silent: no record gets a new number in its space, because no device learns anything.
--
-- Labels; one place of a bench, and a size and a unit of a tool, as `WorkshopPlan` makes them.

-- phase: expand

CREATE TABLE workshop.label (
    LIKE sync.record INCLUDING ALL,
    text    text,
    printed bigint NOT NULL,
    tool    uuid
);

CREATE INDEX ON workshop.label (space_id, tool);

SELECT sync.enroll('workshop.label');

-- phase: expand

CREATE FUNCTION workshop.bench_place(street text, number text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT CASE WHEN number IS NULL THEN street ELSE street || ' ' || number END
$$;

-- phase: expand

ALTER TABLE workshop.bench
    ADD COLUMN place text;

-- Until the contract, servers that do not know the new columns write rows as well. Each says
-- how many migrations it knows: fewer than 2, which is this file's number.
CREATE FUNCTION workshop.fill_bench_place() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.street IS DISTINCT FROM OLD.street
        OR NEW.number IS DISTINCT FROM OLD.number THEN
        NEW.place := workshop.bench_place(NEW.street, NEW.number);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_place BEFORE INSERT OR UPDATE ON workshop.bench
    FOR EACH ROW WHEN (sync.writer_level('workshop') < 2)
    EXECUTE FUNCTION workshop.fill_bench_place();

-- phase: expand

-- Of numbers the forms that people write; the lens in Swift knows exponents, too.
CREATE FUNCTION workshop.tool_size(length text, OUT size double precision, OUT unit text)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT
        CASE WHEN length ~ '^-?[0-9]{1,100}(\.[0-9]{1,100})? ' THEN split_part(length, ' ', 1)::double precision ELSE 0 END,
        CASE WHEN length ~ '^-?[0-9]{1,100}(\.[0-9]{1,100})? ' THEN substr(length, strpos(length, ' ') + 1) ELSE length END
$$;

CREATE FUNCTION workshop.tool_state_v2(state text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT CASE state WHEN 'fine' THEN 'sharp' ELSE 'blunt' END
$$;

-- phase: expand

ALTER TABLE workshop.tool
    ADD COLUMN size     double precision,
    ADD COLUMN unit     text,
    ADD COLUMN state_v2 text;

-- Until the contract, servers that do not know the new columns write rows as well. Each says
-- how many migrations it knows: fewer than 2, which is this file's number.
CREATE FUNCTION workshop.fill_tool_size() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.length IS DISTINCT FROM OLD.length THEN
        SELECT made.size, made.unit INTO NEW.size, NEW.unit
        FROM workshop.tool_size(NEW.length) AS made;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.state IS DISTINCT FROM OLD.state THEN
        NEW.state_v2 := workshop.tool_state_v2(NEW.state);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_size BEFORE INSERT OR UPDATE ON workshop.tool
    FOR EACH ROW WHEN (sync.writer_level('workshop') < 2)
    EXECUTE FUNCTION workshop.fill_tool_size();

-- phase: expand
-- migrate: transaction=none

CREATE INDEX CONCURRENTLY IF NOT EXISTS tool_space_id_serial_alive_idx
    ON workshop.tool (space_id, serial) WHERE alive;

-- phase: backfill
-- migrate: table=workshop.bench

UPDATE workshop.bench AS item
SET
    place = workshop.bench_place(item.street, item.number)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.place IS NULL;

-- phase: backfill
-- migrate: table=workshop.tool

UPDATE workshop.tool AS item
SET
    (size, unit) = (
        SELECT made.size, made.unit
        FROM workshop.tool_size(item.length) AS made),
    state_v2 = workshop.tool_state_v2(item.state)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.size IS NULL;

-- phase: verify

SELECT space_id, id FROM workshop.bench
WHERE place IS NULL;

-- phase: verify

SELECT space_id, id FROM workshop.tool
WHERE size IS NULL
    OR unit IS NULL
    OR state_v2 IS NULL;

-- phase: contract

ALTER TABLE workshop.bench
    ADD CONSTRAINT place_is_filled
        CHECK (place IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE workshop.bench VALIDATE CONSTRAINT place_is_filled;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE workshop.bench
    ALTER COLUMN place SET NOT NULL,
    DROP CONSTRAINT place_is_filled;

DROP TRIGGER fill_place ON workshop.bench;
DROP FUNCTION workshop.fill_bench_place();
DROP FUNCTION workshop.bench_place(text, text);

-- phase: contract

ALTER TABLE workshop.tool
    ADD CONSTRAINT size_is_filled
        CHECK (size IS NOT NULL
            AND unit IS NOT NULL
            AND state_v2 IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE workshop.tool VALIDATE CONSTRAINT size_is_filled;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE workshop.tool
    ALTER COLUMN size SET NOT NULL,
    ALTER COLUMN unit SET NOT NULL,
    ALTER COLUMN state_v2 SET NOT NULL,
    DROP CONSTRAINT size_is_filled;

DROP TRIGGER fill_size ON workshop.tool;
DROP FUNCTION workshop.fill_tool_size();
DROP FUNCTION workshop.tool_size(text);
DROP FUNCTION workshop.tool_state_v2(text);
