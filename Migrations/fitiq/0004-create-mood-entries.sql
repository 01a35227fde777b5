-- Version 0.0.5.

CREATE TABLE fitiq.sd_mood_entry (
    LIKE sync.record INCLUDING ALL,
    user_id      text        NOT NULL,
    valence      double precision,
    labels       json        NOT NULL,
    associations json        NOT NULL,
    date         timestamptz NOT NULL,
    notes        text,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz,
    backend_id   text,
    sync_status  text        NOT NULL,
    source_id    text,
    user_profile uuid
);

CREATE INDEX ON fitiq.sd_mood_entry (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_mood_entry');
