-- Version 0.0.1: businesses and their opening hours.
--
-- In every file of this line: a table is an entity and a column an attribute, both named by their first names, so that a
-- renaming needs no SQL. The columns of one file stand in the order in which the version declares them.

CREATE SCHEMA easitopen;

GRANT USAGE ON SCHEMA easitopen TO syncserver_serving;

CREATE TABLE easitopen.business (
    LIKE sync.record INCLUDING ALL,
    name         text             NOT NULL,
    address      text             NOT NULL,
    latitude     double precision NOT NULL,
    longitude    double precision NOT NULL,
    phone_number text,
    website      text,
    date_added   timestamptz      NOT NULL
);

SELECT sync.enroll('easitopen.business');

CREATE TABLE easitopen.day_schedule (
    LIKE sync.record INCLUDING ALL,
    weekday    bigint  NOT NULL,
    open_time  bigint  NOT NULL,
    close_time bigint  NOT NULL,
    is_closed  boolean NOT NULL,
    business   uuid
);

CREATE INDEX ON easitopen.day_schedule (space_id, business);

SELECT sync.enroll('easitopen.day_schedule');
