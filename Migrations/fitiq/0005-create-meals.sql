-- Version 0.0.6. It also drops `userID` from sleep sessions and mood entries: the columns stay for older versions.

CREATE TABLE fitiq.sd_meal (
    LIKE sync.record INCLUDING ALL,
    raw_input               text        NOT NULL,
    meal_type               text        NOT NULL,
    status                  text        NOT NULL,
    logged_at               timestamptz NOT NULL,
    notes                   text,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz,
    backend_id              text,
    sync_status             text        NOT NULL,
    error_message           text,
    total_calories          bigint,
    total_protein_g         double precision,
    total_carbs_g           double precision,
    total_fat_g             double precision,
    total_fiber_g           double precision,
    total_sugar_g           double precision,
    processing_started_at   timestamptz,
    processing_completed_at timestamptz,
    user_profile            uuid
);

CREATE INDEX ON fitiq.sd_meal (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_meal');

CREATE TABLE fitiq.sd_meal_log_item (
    LIKE sync.record INCLUDING ALL,
    name          text             NOT NULL,
    quantity      text             NOT NULL,
    calories      double precision NOT NULL,
    protein       double precision NOT NULL,
    carbs         double precision NOT NULL,
    fat           double precision NOT NULL,
    fiber_g       double precision,
    sugar_g       double precision,
    confidence    double precision,
    parsing_notes text,
    order_index   bigint           NOT NULL,
    created_at    timestamptz      NOT NULL,
    backend_id    text,
    meal_log      uuid
);

CREATE INDEX ON fitiq.sd_meal_log_item (space_id, meal_log);

SELECT sync.enroll('fitiq.sd_meal_log_item');
