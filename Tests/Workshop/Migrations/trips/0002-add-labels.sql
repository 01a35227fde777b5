-- sync: silent
--
-- Version 2.0.0: what said something in several attributes says it in one, or in others.
-- JSON is written as the lenses write it: without white space, keys in the order of their bytes.
--
-- Silent: no record gets a new number in its space, because no device learns anything.

-- phase: expand

-- `MoodLabels.up`.
CREATE FUNCTION trips.trip_labels(
    mood text) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT CASE WHEN mood = '' THEN '[]' ELSE '[' || to_json(mood)::text || ']' END::json
$$;

-- `TripAddress.up`.
CREATE FUNCTION trips.trip_address(
    street text,
    number bigint,
    city text) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT ('{' || COALESCE('"city":' || to_json(city)::text || ',', '')
        || '"number":' || number || ',"street":' || to_json(street)::text || '}')::json
$$;

-- `StartAndLength.up`.
CREATE FUNCTION trips.trip_starts_v2(
    starts timestamptz,
    ends timestamptz,
    OUT starts_v2 timestamptz,
    OUT minutes bigint)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT starts, (extract(epoch FROM ends - starts) * 1000000)::bigint / 60000000
$$;

-- `PhotoFormat.up`.
CREATE FUNCTION trips.trip_format(
    photo bytea,
    OUT format text,
    OUT pixels bytea)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT
        CASE WHEN substring(photo FROM 1 FOR 1) = '\x89'::bytea THEN 'png' ELSE '' END,
        CASE
            WHEN substring(photo FROM 1 FOR 1) = '\x89'::bytea THEN substring(photo FROM 2)
            WHEN photo <> ''::bytea THEN photo
        END
$$;

-- `Channels.up`.
CREATE FUNCTION trips.trip_color(
    red bigint,
    green bigint,
    blue bigint) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT ('[' || red || ',' || green || ',' || blue || ']')::json
$$;

-- `Skies.up`.
CREATE FUNCTION trips.trip_skies(
    weather text) RETURNS json
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT ('[' || to_json(weather)::text || ']')::json
$$;

-- phase: expand

ALTER TABLE trips.trip
    ADD COLUMN labels    json,
    ADD COLUMN address   json,
    ADD COLUMN starts_v2 timestamptz,
    ADD COLUMN minutes   bigint,
    ADD COLUMN format    text,
    ADD COLUMN pixels    bytea,
    ADD COLUMN color     json,
    ADD COLUMN skies     json;

-- Until the contract, servers that do not know the new columns write rows as well. Each says
-- how many migrations it knows: fewer than 2, which is this file's number.
CREATE FUNCTION trips.fill_trip_labels() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.mood IS DISTINCT FROM OLD.mood THEN
        NEW.labels := trips.trip_labels(NEW.mood);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.street IS DISTINCT FROM OLD.street
        OR NEW.number IS DISTINCT FROM OLD.number
        OR NEW.city IS DISTINCT FROM OLD.city THEN
        NEW.address := trips.trip_address(NEW.street, NEW.number, NEW.city);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.starts IS DISTINCT FROM OLD.starts
        OR NEW.ends IS DISTINCT FROM OLD.ends THEN
        SELECT made.starts_v2, made.minutes INTO NEW.starts_v2, NEW.minutes
        FROM trips.trip_starts_v2(NEW.starts, NEW.ends) AS made;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.photo IS DISTINCT FROM OLD.photo THEN
        SELECT made.format, made.pixels INTO NEW.format, NEW.pixels
        FROM trips.trip_format(NEW.photo) AS made;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.red IS DISTINCT FROM OLD.red
        OR NEW.green IS DISTINCT FROM OLD.green
        OR NEW.blue IS DISTINCT FROM OLD.blue THEN
        NEW.color := trips.trip_color(NEW.red, NEW.green, NEW.blue);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.weather IS DISTINCT FROM OLD.weather THEN
        NEW.skies := trips.trip_skies(NEW.weather);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_labels BEFORE INSERT OR UPDATE ON trips.trip
    FOR EACH ROW WHEN (sync.writer_level('trips') < 2)
    EXECUTE FUNCTION trips.fill_trip_labels();

-- phase: backfill
-- migrate: table=trips.trip

UPDATE trips.trip AS item
SET
    labels = trips.trip_labels(item.mood),
    address = trips.trip_address(item.street, item.number, item.city),
    (starts_v2, minutes) = (
        SELECT made.starts_v2, made.minutes
        FROM trips.trip_starts_v2(item.starts, item.ends) AS made),
    (format, pixels) = (
        SELECT made.format, made.pixels
        FROM trips.trip_format(item.photo) AS made),
    color = trips.trip_color(item.red, item.green, item.blue),
    skies = trips.trip_skies(item.weather)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.labels IS NULL;

-- phase: verify

SELECT space_id, id FROM trips.trip
WHERE labels IS NULL
    OR address IS NULL
    OR starts_v2 IS NULL
    OR format IS NULL
    OR color IS NULL
    OR skies IS NULL;

-- phase: contract

ALTER TABLE trips.trip
    ADD CONSTRAINT labels_is_filled
        CHECK (labels IS NOT NULL
            AND address IS NOT NULL
            AND starts_v2 IS NOT NULL
            AND format IS NOT NULL
            AND color IS NOT NULL
            AND skies IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE trips.trip VALIDATE CONSTRAINT labels_is_filled;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE trips.trip
    ALTER COLUMN labels SET NOT NULL,
    ALTER COLUMN address SET NOT NULL,
    ALTER COLUMN starts_v2 SET NOT NULL,
    ALTER COLUMN format SET NOT NULL,
    ALTER COLUMN color SET NOT NULL,
    ALTER COLUMN skies SET NOT NULL,
    DROP CONSTRAINT labels_is_filled;

DROP TRIGGER fill_labels ON trips.trip;
DROP FUNCTION trips.fill_trip_labels();
DROP FUNCTION trips.trip_labels(text);
DROP FUNCTION trips.trip_address(text, bigint, text);
DROP FUNCTION trips.trip_starts_v2(timestamptz, timestamptz);
DROP FUNCTION trips.trip_format(bytea);
DROP FUNCTION trips.trip_color(bigint, bigint, bigint);
DROP FUNCTION trips.trip_skies(text);
