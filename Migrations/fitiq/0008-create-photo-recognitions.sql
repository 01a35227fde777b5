-- Version 0.0.9. It also drops `userID` from progress entries, and renames the profile: no table changes by that.

CREATE TABLE fitiq.sd_photo_recognition (
    LIKE sync.record INCLUDING ALL,
    user_id                 text        NOT NULL,
    image_url               text,
    meal_type               text        NOT NULL,
    status                  text        NOT NULL,
    confidence_score        double precision,
    needs_review            boolean     NOT NULL,
    total_calories          bigint,
    total_protein_g         double precision,
    total_carbs_g           double precision,
    total_fat_g             double precision,
    total_fiber_g           double precision,
    total_sugar_g           double precision,
    logged_at               timestamptz NOT NULL,
    notes                   text,
    error_message           text,
    processing_started_at   timestamptz,
    processing_completed_at timestamptz,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz,
    backend_id              text,
    sync_status             text        NOT NULL,
    meal_log_id             uuid,
    user_profile            uuid
);

CREATE INDEX ON fitiq.sd_photo_recognition (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_photo_recognition');

CREATE TABLE fitiq.sd_recognized_food_item (
    LIKE sync.record INCLUDING ALL,
    name              text             NOT NULL,
    quantity          double precision NOT NULL,
    unit              text             NOT NULL,
    calories          bigint           NOT NULL,
    protein_g         double precision NOT NULL,
    carbs_g           double precision NOT NULL,
    fat_g             double precision NOT NULL,
    fiber_g           double precision,
    sugar_g           double precision,
    confidence_score  double precision NOT NULL,
    order_index       bigint           NOT NULL,
    photo_recognition uuid
);

CREATE INDEX ON fitiq.sd_recognized_food_item (space_id, photo_recognition);

SELECT sync.enroll('fitiq.sd_recognized_food_item');
