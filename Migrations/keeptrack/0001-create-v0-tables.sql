-- Version 0.0.0: entries, their kinds, goals and settings. (1.0.0 only renames them; 2.0.0 adds defaults, which the server
-- gives, and what stays on the device.)
--
-- In every file of this line: a table is an entity and a column an attribute, both named by their first names, so that a
-- renaming needs no SQL. The columns of one file stand in the order in which the version declares them.

CREATE SCHEMA keeptrack;

GRANT USAGE ON SCHEMA keeptrack TO syncserver_serving;

CREATE TABLE keeptrack.sd_entry_v0 (
    LIKE sync.record INCLUDING ALL,
    date        timestamptz      NOT NULL,
    units       text             NOT NULL,
    amount      double precision NOT NULL,
    name        text             NOT NULL,
    goal_met    boolean          NOT NULL,
    intake_type uuid
);

CREATE INDEX ON keeptrack.sd_entry_v0 (space_id, intake_type);

SELECT sync.enroll('keeptrack.sd_entry_v0');

CREATE TABLE keeptrack.sd_intake_type_v0 (
    LIKE sync.record INCLUDING ALL,
    name      text             NOT NULL,
    unit      text             NOT NULL,
    amount    double precision NOT NULL,
    descrip   text             NOT NULL,
    frequency text             NOT NULL
);

SELECT sync.enroll('keeptrack.sd_intake_type_v0');

CREATE TABLE keeptrack.sd_goal_v0 (
    LIKE sync.record INCLUDING ALL,
    name             text             NOT NULL,
    goal_description text             NOT NULL,
    dates            json             NOT NULL,
    is_active        boolean          NOT NULL,
    is_completed     boolean          NOT NULL,
    dosage           double precision NOT NULL,
    units            text             NOT NULL,
    frequency        text             NOT NULL
);

SELECT sync.enroll('keeptrack.sd_goal_v0');

-- One record in each space, with the id that the plan gives it.
CREATE TABLE keeptrack.sd_app_settings_v0 (
    LIKE sync.record INCLUDING ALL,
    notifications_enabled    boolean     NOT NULL,
    default_reminder_time    timestamptz,
    preferred_units          text        NOT NULL,
    theme                    text        NOT NULL,
    last_backup_date         timestamptz,
    auto_backup_enabled      boolean     NOT NULL,
    cloud_sync_enabled       boolean     NOT NULL,
    accepted_license_version text,
    created_at               timestamptz NOT NULL,
    modified_at              timestamptz NOT NULL
);

SELECT sync.enroll('keeptrack.sd_app_settings_v0');
