-- Version 1.0.0: a sign, benches, tools.

-- phase: expand

CREATE SCHEMA workshop;

GRANT USAGE ON SCHEMA workshop TO syncserver_serving;

-- One record in each space, with the id that the plan gives it.
CREATE TABLE workshop.sign (
    LIKE sync.record INCLUDING ALL,
    text   text   NOT NULL,
    visits bigint NOT NULL
);

SELECT sync.enroll('workshop.sign');

CREATE TABLE workshop.bench (
    LIKE sync.record INCLUDING ALL,
    street text NOT NULL,
    number text,
    color  text NOT NULL,
    below  uuid
);

CREATE INDEX ON workshop.bench (space_id, below);

SELECT sync.enroll('workshop.bench');

CREATE TABLE workshop.tool (
    LIKE sync.record INCLUDING ALL,
    serial   text,
    length   text             NOT NULL,
    state    text             NOT NULL,
    longest  double precision NOT NULL,
    cheapest timestamptz,
    tags     json             NOT NULL,
    uses     bigint           NOT NULL,
    "left"   text             NOT NULL,
    "right"  text             NOT NULL,
    bench    uuid,
    spare    uuid
);

CREATE INDEX ON workshop.tool (space_id, bench);
CREATE INDEX ON workshop.tool (space_id, spare);

SELECT sync.enroll('workshop.tool');
