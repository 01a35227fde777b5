-- What operators do, and by which login: tokens, members, quotas, epochs, erasures. Versions have sync.version_event since 0021.

-- phase: expand

CREATE TABLE sync.operator_event (
    id     bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at     timestamptz NOT NULL DEFAULT pg_catalog.now(),
    -- The login in the database.
    by     text        NOT NULL DEFAULT SESSION_USER,
    -- The command: ‘token create’.
    action text        NOT NULL,
    -- NULL: of all apps.
    app    text,
    -- Numbers and ids, never a secret and never whom a token or a membership is for: what is kept of a subject goes with its account.
    detail text        NOT NULL
);
