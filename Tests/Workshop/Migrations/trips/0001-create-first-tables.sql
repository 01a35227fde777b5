-- Version 1.0.0: trips.

-- phase: expand

CREATE SCHEMA trips;

GRANT USAGE ON SCHEMA trips TO syncserver_serving;

CREATE TABLE trips.trip (
    LIKE sync.record INCLUDING ALL,
    name    text        NOT NULL,
    mood    text        NOT NULL,
    street  text        NOT NULL,
    number  bigint      NOT NULL,
    city    text,
    starts  timestamptz NOT NULL,
    ends    timestamptz,
    photo   bytea       NOT NULL,
    red     bigint      NOT NULL,
    green   bigint      NOT NULL,
    blue    bigint      NOT NULL,
    weather text        NOT NULL,
    home    json
);

SELECT sync.enroll('trips.trip');
