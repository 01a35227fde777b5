-- The record of the benchmark kit: what its bare server keeps, in eight columns with the id and the number.

CREATE SCHEMA bench;

GRANT USAGE ON SCHEMA bench TO syncserver_serving;

CREATE TABLE bench.progress_entry (
    LIKE sync.record INCLUDING ALL,
    type       text             NOT NULL,
    quantity   numeric          NOT NULL,
    value      double precision NOT NULL,
    at         timestamptz      NOT NULL,
    note       text             NOT NULL,
    updated_at timestamptz      NOT NULL
);

SELECT sync.enroll('bench.progress_entry');
