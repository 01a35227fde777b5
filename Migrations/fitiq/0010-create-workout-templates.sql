-- Version 0.1.1.

CREATE TABLE fitiq.sd_workout_template (
    LIKE sync.record INCLUDING ALL,
    name                       text        NOT NULL,
    template_description       text,
    category                   text,
    difficulty_level           text,
    estimated_duration_minutes bigint,
    is_public                  boolean     NOT NULL,
    is_system                  boolean     NOT NULL,
    status                     text        NOT NULL,
    exercise_count             bigint      NOT NULL,
    times_used                 bigint      NOT NULL,
    is_favorite                boolean     NOT NULL,
    is_featured                boolean     NOT NULL,
    created_at                 timestamptz NOT NULL,
    updated_at                 timestamptz NOT NULL,
    backend_id                 text,
    sync_status                text        NOT NULL,
    user_profile               uuid
);

CREATE INDEX ON fitiq.sd_workout_template (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_workout_template');

CREATE TABLE fitiq.sd_template_exercise (
    LIKE sync.record INCLUDING ALL,
    exercise_id      text,
    user_exercise_id text,
    exercise_name    text        NOT NULL,
    order_index      bigint      NOT NULL,
    technique        text,
    sets             bigint,
    reps             bigint,
    weight_kg        double precision,
    duration_seconds bigint,
    rest_seconds     bigint,
    notes            text,
    created_at       timestamptz NOT NULL,
    backend_id       text,
    template         uuid
);

CREATE INDEX ON fitiq.sd_template_exercise (space_id, template);

SELECT sync.enroll('fitiq.sd_template_exercise');
