-- sync: silent
--
-- Version 0.1.0. What it drops from the profile, moods and photographed meals stays for older versions, and what it renames
-- keeps its column.
--
-- Silent: no record gets a new number in its space, because no device learns anything. Older versions read what they read
-- before, and a device that moves to this version asks for what the older one could not see.

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

-- Row-level security is forced on the tables' owner too; for these updates, of all spaces, it is not.
ALTER TABLE fitiq.sd_mood_entry NO FORCE ROW LEVEL SECURITY;
ALTER TABLE fitiq.sd_recognized_food_item NO FORCE ROW LEVEL SECURITY;

-- What `MoodScore.up` does in Swift. Not `round`, which takes exact halves to the even neighbour.
UPDATE fitiq.sd_mood_entry
SET value = CASE
    WHEN valence IS NULL THEN 5
    ELSE floor((least(greatest(valence, -1), 1) + 1) * 4.5::double precision + 1 + 0.5::double precision)
END;

-- `FractionalCalories.up`, and the record's creation: the wall time of its creating stamp, or of its only one where it was
-- never explicitly created. A stamp's upper 42 bits are milliseconds since 1970.
UPDATE fitiq.sd_recognized_food_item
SET
    calories_v10 = calories,
    created_at = timestamptz '1970-01-01 00:00:00+00'
        + interval '1 millisecond' * ((CASE WHEN born > 0 THEN born ELSE stamp END) >> 11);

ALTER TABLE fitiq.sd_mood_entry FORCE ROW LEVEL SECURITY;
ALTER TABLE fitiq.sd_recognized_food_item FORCE ROW LEVEL SECURITY;

ALTER TABLE fitiq.sd_mood_entry
    ALTER COLUMN value SET NOT NULL;

ALTER TABLE fitiq.sd_recognized_food_item
    ALTER COLUMN calories_v10 SET NOT NULL,
    ALTER COLUMN created_at SET NOT NULL;
