-- sync: silent
--
-- Version 3.0.0: addresses as lines, homes as a list, labels and minutes once more in others.
--
-- Silent: no record gets a new number in its space, because no device learns anything.

-- phase: expand

-- `AddressLines.up`.
CREATE FUNCTION trips.trip_lines(
    address json,
    OUT lines json,
    OUT town text)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT
        ('[' || to_json(address ->> 'street')::text || ',"' || (address ->> 'number')::bigint || '"]')::json,
        address ->> 'city'
$$;

-- `Homes.up`.
CREATE FUNCTION trips.trip_homes(
    home json) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT CASE WHEN home IS NULL THEN '[]' ELSE '[' || home::text || ']' END::json
$$;

-- `Notes.up`.
CREATE FUNCTION trips.trip_note(
    labels json,
    minutes bigint,
    OUT note text,
    OUT labels_v3 json,
    OUT hours double precision)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT
        labels ->> 0,
        CASE WHEN json_array_length(labels) > 0 THEN (
            SELECT '[' || COALESCE(string_agg(item.value::text, ',' ORDER BY item.place), '') || ']'
            FROM json_array_elements(labels) WITH ORDINALITY AS item (value, place)
            WHERE item.place > 1)::json END,
        minutes / 60::double precision
$$;

-- phase: expand

ALTER TABLE trips.trip
    ADD COLUMN lines     json,
    ADD COLUMN town      text,
    ADD COLUMN homes     json,
    ADD COLUMN note      text,
    ADD COLUMN labels_v3 json,
    ADD COLUMN hours     double precision;

-- Until the contract, servers that do not know the new columns write rows as well. Each says
-- how many migrations it knows: fewer than 3, which is this file's number.
CREATE FUNCTION trips.fill_trip_lines() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.address::text IS DISTINCT FROM OLD.address::text THEN
        SELECT made.lines, made.town INTO NEW.lines, NEW.town
        FROM trips.trip_lines(NEW.address) AS made;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.home::text IS DISTINCT FROM OLD.home::text THEN
        NEW.homes := trips.trip_homes(NEW.home);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.labels::text IS DISTINCT FROM OLD.labels::text
        OR NEW.minutes IS DISTINCT FROM OLD.minutes THEN
        SELECT made.note, made.labels_v3, made.hours INTO NEW.note, NEW.labels_v3, NEW.hours
        FROM trips.trip_note(NEW.labels, NEW.minutes) AS made;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_lines BEFORE INSERT OR UPDATE ON trips.trip
    FOR EACH ROW WHEN (sync.writer_level('trips') < 3)
    EXECUTE FUNCTION trips.fill_trip_lines();

-- phase: backfill
-- migrate: table=trips.trip

UPDATE trips.trip AS item
SET
    (lines, town) = (
        SELECT made.lines, made.town
        FROM trips.trip_lines(item.address) AS made),
    homes = trips.trip_homes(item.home),
    (note, labels_v3, hours) = (
        SELECT made.note, made.labels_v3, made.hours
        FROM trips.trip_note(item.labels, item.minutes) AS made)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.lines IS NULL;

-- phase: verify

SELECT space_id, id FROM trips.trip
WHERE lines IS NULL
    OR homes IS NULL;

-- phase: contract

ALTER TABLE trips.trip
    ADD CONSTRAINT lines_is_filled
        CHECK (lines IS NOT NULL
            AND homes IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE trips.trip VALIDATE CONSTRAINT lines_is_filled;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE trips.trip
    ALTER COLUMN lines SET NOT NULL,
    ALTER COLUMN homes SET NOT NULL,
    DROP CONSTRAINT lines_is_filled;

DROP TRIGGER fill_lines ON trips.trip;
DROP FUNCTION trips.fill_trip_lines();
DROP FUNCTION trips.trip_lines(json);
DROP FUNCTION trips.trip_homes(json);
DROP FUNCTION trips.trip_note(json, bigint);
