-- accepts: 1c7c78c0f2daecb64e926dc697b248b517b8a1f03a7ce6be02d5b29d7a1246ff
-- accepts: 658ec7b58a78d931673fa7155ab76a603ab192aa159649ccdb5bb1a58c277a5d
-- sync: silent
--
-- Version 0.1.0. What it drops from the profile, moods and photographed meals stays for older versions, and what it renames
-- keeps its column.
--
-- Silent: no record gets a new number in its space, because no device learns anything. Older versions read what they read
-- before, and a device that moves to this version asks for what the older one could not see.

-- phase: expand

CREATE TABLE fitiq.sd_workout (
    LIKE sync.record INCLUDING ALL,
    activity_type    text        NOT NULL,
    title            text,
    notes            text,
    started_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    duration_minutes bigint,
    calories_burned  bigint,
    distance_meters  double precision,
    intensity        bigint,
    source           text        NOT NULL,
    source_id        text,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz,
    backend_id       text,
    sync_status      text        NOT NULL,
    user_profile     uuid
);

CREATE INDEX ON fitiq.sd_workout (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_workout');

ALTER TABLE fitiq.sd_user_profile
    ADD COLUMN email              text NOT NULL DEFAULT '',
    ADD COLUMN daily_calorie_goal double precision;

ALTER TABLE fitiq.sd_photo_recognition
    ADD COLUMN raw_response text;

ALTER TABLE fitiq.sd_mood_entry
    ADD COLUMN value bigint;

ALTER TABLE fitiq.sd_recognized_food_item
    ALTER COLUMN quantity DROP NOT NULL,
    ALTER COLUMN unit DROP NOT NULL,
    ALTER COLUMN confidence_score DROP NOT NULL,
    ADD COLUMN calories_v10 double precision,
    ADD COLUMN created_at   timestamptz;

-- What `MoodScore.up` does in Swift. Not `round`, which takes exact halves to the even neighbour.
CREATE FUNCTION fitiq.mood_score(valence double precision) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT CASE
        WHEN valence IS NULL THEN 5
        ELSE floor((least(greatest(valence, -1), 1) + 1) * 4.5::double precision + 1 + 0.5::double precision)
    END
$$;

-- The record's creation: the wall time of its creating stamp, or of its only one where it was never explicitly created. A
-- stamp's upper 42 bits are milliseconds since 1970.
CREATE FUNCTION fitiq.creation(born bigint, stamp bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT timestamptz '1970-01-01 00:00:00+00'
        + interval '1 millisecond' * ((CASE WHEN born > 0 THEN born ELSE stamp END) >> 11)
$$;

-- Until the contract, servers that do not know the new columns write moods and photographed meals as well. Each says which
-- migrations it knows.
CREATE FUNCTION fitiq.fill_mood() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    NEW.value := fitiq.mood_score(NEW.valence);
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_new_mood BEFORE INSERT ON fitiq.sd_mood_entry
    FOR EACH ROW WHEN (NEW.value IS NULL)
    EXECUTE FUNCTION fitiq.fill_mood();

CREATE TRIGGER fill_mood BEFORE UPDATE ON fitiq.sd_mood_entry
    FOR EACH ROW WHEN (NEW.valence IS DISTINCT FROM OLD.valence AND sync.writer_level('fitiq') < 9)
    EXECUTE FUNCTION fitiq.fill_mood();

-- `FractionalCalories.up`; a record that is created again is as old as its new life. One that is edited before the
-- backfill has come to it gets both columns here.
CREATE FUNCTION fitiq.fill_food_item() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    NEW.calories_v10 := NEW.calories;
    IF TG_OP = 'INSERT' OR NEW.born <> OLD.born OR NEW.created_at IS NULL THEN
        NEW.created_at := fitiq.creation(NEW.born, NEW.stamp);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_new_food_item BEFORE INSERT ON fitiq.sd_recognized_food_item
    FOR EACH ROW WHEN (NEW.calories_v10 IS NULL)
    EXECUTE FUNCTION fitiq.fill_food_item();

CREATE TRIGGER fill_food_item BEFORE UPDATE ON fitiq.sd_recognized_food_item
    FOR EACH ROW WHEN (
        (NEW.calories IS DISTINCT FROM OLD.calories OR NEW.born <> OLD.born) AND sync.writer_level('fitiq') < 9)
    EXECUTE FUNCTION fitiq.fill_food_item();

-- phase: backfill
-- migrate: table=fitiq.sd_mood_entry

UPDATE fitiq.sd_mood_entry AS entry
SET value = fitiq.mood_score(entry.valence)
FROM batch
WHERE (entry.space_id, entry.id) = (batch.space_id, batch.id) AND entry.value IS NULL;

-- phase: backfill
-- migrate: table=fitiq.sd_recognized_food_item

UPDATE fitiq.sd_recognized_food_item AS item
SET calories_v10 = item.calories, created_at = fitiq.creation(item.born, item.stamp)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id)
    AND (item.calories_v10 IS NULL OR item.created_at IS NULL);

-- phase: verify

SELECT space_id, id FROM fitiq.sd_mood_entry WHERE value IS NULL;

SELECT space_id, id FROM fitiq.sd_recognized_food_item WHERE calories_v10 IS NULL OR created_at IS NULL;

-- phase: contract

ALTER TABLE fitiq.sd_mood_entry
    ADD CONSTRAINT mood_is_scored CHECK (value IS NOT NULL) NOT VALID;

-- phase: contract

ALTER TABLE fitiq.sd_recognized_food_item
    ADD CONSTRAINT item_is_filled CHECK (calories_v10 IS NOT NULL AND created_at IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE fitiq.sd_mood_entry VALIDATE CONSTRAINT mood_is_scored;

ALTER TABLE fitiq.sd_recognized_food_item VALIDATE CONSTRAINT item_is_filled;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE fitiq.sd_mood_entry
    ALTER COLUMN value SET NOT NULL,
    DROP CONSTRAINT mood_is_scored;

DROP TRIGGER fill_new_mood ON fitiq.sd_mood_entry;
DROP TRIGGER fill_mood ON fitiq.sd_mood_entry;
DROP FUNCTION fitiq.fill_mood();
DROP FUNCTION fitiq.mood_score(double precision);

-- phase: contract

ALTER TABLE fitiq.sd_recognized_food_item
    ALTER COLUMN calories_v10 SET NOT NULL,
    ALTER COLUMN created_at SET NOT NULL,
    DROP CONSTRAINT item_is_filled;

DROP TRIGGER fill_new_food_item ON fitiq.sd_recognized_food_item;
DROP TRIGGER fill_food_item ON fitiq.sd_recognized_food_item;
DROP FUNCTION fitiq.fill_food_item();
DROP FUNCTION fitiq.creation(bigint, bigint);
