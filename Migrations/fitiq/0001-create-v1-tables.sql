-- Version 0.0.1: the profile, its dietary preferences, body measurements and daily activity.
--
-- In every file of this line: a table is an entity and a column an attribute, both named by their first names, so that a
-- renaming needs no SQL. The columns of one file stand in the order in which the version declares them. Nothing is ever
-- dropped or changes its type while a version that uses it is served.

CREATE SCHEMA fitiq;

GRANT USAGE ON SCHEMA fitiq TO syncserver_serving;

CREATE TABLE fitiq.sd_user_profile (
    LIKE sync.record INCLUDING ALL,
    name                                  text        NOT NULL,
    bio                                   text,
    preferred_unit_system                 text        NOT NULL,
    language_code                         text,
    date_of_birth                         timestamptz,
    biological_sex                        text,
    created_at                            timestamptz NOT NULL,
    updated_at                            timestamptz,
    has_performed_initial_health_kit_sync boolean     NOT NULL,
    last_successful_daily_sync_date       timestamptz,
    dietary_and_activity_preferences      uuid
);

CREATE INDEX ON fitiq.sd_user_profile (space_id, dietary_and_activity_preferences);

SELECT sync.enroll('fitiq.sd_user_profile');

CREATE TABLE fitiq.sd_dietary_and_activity_preferences (
    LIKE sync.record INCLUDING ALL,
    allergies            json,
    dietary_restrictions json,
    food_dislikes        json,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz,
    user_profile         uuid
);

CREATE INDEX ON fitiq.sd_dietary_and_activity_preferences (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_dietary_and_activity_preferences');

CREATE TABLE fitiq.sd_physical_attribute (
    LIKE sync.record INCLUDING ALL,
    value             double precision,
    type              text        NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz,
    backend_id        text,
    backend_synced_at timestamptz,
    user_profile      uuid
);

CREATE INDEX ON fitiq.sd_physical_attribute (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_physical_attribute');

CREATE TABLE fitiq.sd_activity_snapshot (
    LIKE sync.record INCLUDING ALL,
    active_minutes           bigint,
    activity_level           text        NOT NULL,
    calories_burned          double precision,
    date                     timestamptz NOT NULL,
    distance_km              double precision,
    heart_rate_avg           double precision,
    steps                    bigint,
    workout_duration_minutes double precision,
    workout_sessions         bigint,
    created_at               timestamptz NOT NULL,
    updated_at               timestamptz,
    backend_id               text,
    backend_synced_at        timestamptz,
    user_profile             uuid
);

CREATE INDEX ON fitiq.sd_activity_snapshot (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_activity_snapshot');
