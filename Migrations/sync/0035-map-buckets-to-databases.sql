-- Spaces may be distributed over several databases. One of them is the directory: it has the tokens, members, invitations, versions,
-- the census, and the map that says which database serves which bucket.

-- phase: expand

-- The databases beside the directory. A server opens each with the directory's connection string, in which these three replace what
-- they say; NULL: as in the directory's.
CREATE TABLE sync.database (
    name     text        PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9_-]{0,62}$' AND name <> 'directory'),
    host     text,
    port     integer     CHECK (port BETWEEN 1 AND 65535),
    dbname   text,
    added_at timestamptz NOT NULL DEFAULT now()
);

-- The buckets that another database than the directory serves.
CREATE TABLE sync.bucket (
    number   bigint PRIMARY KEY CHECK (number BETWEEN 0 AND 255),
    database text   NOT NULL REFERENCES sync.database
);

GRANT SELECT ON sync.database, sync.bucket TO syncserver_serving;
