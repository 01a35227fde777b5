-- Ids of records that are texts: a slug, an upper-case UUID, a server's key. A record's key stays a UUID. A text that is none in lower
-- case has one that is made from it, and what it was is here.
CREATE TABLE sync.name (
    space_id uuid NOT NULL,
    -- From SHA-256 of the app, the entity and the text.
    key      uuid NOT NULL,
    app      text NOT NULL,
    -- The record's table.
    entity   text NOT NULL,
    text     text NOT NULL,
    PRIMARY KEY (space_id, key)
);

ALTER TABLE sync.name ENABLE ROW LEVEL SECURITY;
ALTER TABLE sync.name FORCE ROW LEVEL SECURITY;

CREATE POLICY space ON sync.name
    USING (space_id = (SELECT pg_catalog.current_setting('sync.space')::uuid));
SELECT sync.admit_owner('sync.name');
SELECT sync.expect_large_spaces('sync.name');

-- A text never becomes another's: nothing is updated.
GRANT SELECT, INSERT ON sync.name TO syncserver_serving;
