-- Version 0.0.4.

CREATE TABLE fitiq.sd_sleep_session (
    LIKE sync.record INCLUDING ALL,
    user_id             text             NOT NULL,
    date                timestamptz      NOT NULL,
    start_time          timestamptz      NOT NULL,
    end_time            timestamptz      NOT NULL,
    time_in_bed_minutes bigint           NOT NULL,
    total_sleep_minutes bigint           NOT NULL,
    sleep_efficiency    double precision NOT NULL,
    source              text,
    source_id           text,
    notes               text,
    created_at          timestamptz      NOT NULL,
    updated_at          timestamptz,
    backend_id          text,
    sync_status         text             NOT NULL,
    user_profile        uuid
);

CREATE INDEX ON fitiq.sd_sleep_session (space_id, user_profile);

SELECT sync.enroll('fitiq.sd_sleep_session');

CREATE TABLE fitiq.sd_sleep_stage (
    LIKE sync.record INCLUDING ALL,
    stage            text        NOT NULL,
    start_time       timestamptz NOT NULL,
    end_time         timestamptz NOT NULL,
    duration_minutes bigint      NOT NULL,
    session          uuid
);

CREATE INDEX ON fitiq.sd_sleep_stage (space_id, session);

SELECT sync.enroll('fitiq.sd_sleep_stage');
