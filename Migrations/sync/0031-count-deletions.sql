-- How much each device has deleted in a space within the last hour, so that a lost store does not empty the space push by push, by
-- whatever servers.

-- phase: expand

CREATE TABLE sync.deletion (
    space_id uuid   NOT NULL,
    app      text   NOT NULL,
    -- That of the pushes; all that name none are one.
    device   uuid   NOT NULL,
    -- How many records, with those that went along, less what a person deletes by hand in the same time.
    count    bigint NOT NULL,
    -- When the last of them was, or up to when that has been taken off, as a stamp by the server's clock.
    at       bigint NOT NULL,
    PRIMARY KEY (space_id, app, device)
);

ALTER TABLE sync.deletion ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.deletion FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.deletion
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.deletion');

GRANT SELECT, INSERT, DELETE, UPDATE (count, at) ON sync.deletion TO syncserver_serving;

-- phase: contract

-- As sync/0029 has it for the tables that were there.
ALTER POLICY space ON sync.deletion TO syncserver_serving;
