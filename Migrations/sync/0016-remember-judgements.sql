-- Changes that must not be judged a second time, because the space may have become another one since: what was refused for what else
-- was there, and what a whole record said.
CREATE TABLE sync.judged (
    space_id uuid   NOT NULL,
    app      text   NOT NULL,
    device   uuid   NOT NULL,
    id       uuid   NOT NULL,
    -- As the device sent it.
    stamp    bigint NOT NULL,
    -- The record's table.
    entity   text   NOT NULL,
    -- Why it was refused, as JSON; NULL: it was merged.
    refusal  text,
    -- When, as a stamp by the server's clock.
    at       bigint NOT NULL,
    PRIMARY KEY (space_id, app, device, id, stamp, entity)
);

-- For forgetting the oldest.
CREATE INDEX ON sync.judged (space_id, app, at);

ALTER TABLE sync.judged ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.judged FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.judged
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.judged');

GRANT SELECT, INSERT, DELETE ON sync.judged TO syncserver_serving;

-- Whether there may be any, so that only pushes into such spaces look for them.
ALTER TABLE sync.space ADD COLUMN judged boolean NOT NULL DEFAULT false;
