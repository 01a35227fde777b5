-- Version 0.0.2. (Version 0.0.3 adds only what stays on the device.)

CREATE TABLE fitiq.sd_progress_entry (
    LIKE sync.record INCLUDING ALL,
    user_id      text             NOT NULL,
    type         text             NOT NULL,
    quantity     double precision NOT NULL,
    date         timestamptz      NOT NULL,
    time         text,
    notes        text,
    created_at   timestamptz      NOT NULL,
    updated_at   timestamptz,
    backend_id   text,
    sync_status  text             NOT NULL,
    user_profile uuid
);

CREATE INDEX ON fitiq.sd_progress_entry (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_progress_entry');
