-- Versions of apps come to an end: when one was deprecated, and from when on nobody may use it any more.

CREATE TABLE sync.version_life (
    app           text        NOT NULL,
    -- As in sync.census_device: the number; with the fingerprint, where the number alone means another shape.
    version       text        NOT NULL,
    deprecated_at timestamptz,
    -- When it is to end, as devices are told. Nothing follows from that.
    sunset_at     timestamptz,
    -- From then on it can neither pull nor push.
    retired_at    timestamptz,
    -- From then on nobody can push what was written in it, either.
    outbox_until  timestamptz,
    -- A page for people.
    link          text,
    PRIMARY KEY (app, version),
    CHECK ((retired_at IS NULL) = (outbox_until IS NULL)),
    CHECK (outbox_until >= retired_at)
);

GRANT SELECT ON sync.version_life TO syncserver_serving;

-- What was done to versions, and by whom.
CREATE TABLE sync.version_event (
    id        bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    app       text        NOT NULL,
    version   text        NOT NULL,
    action    text        NOT NULL CHECK (action IN ('deprecate', 'retire', 'restore')),
    at        timestamptz NOT NULL DEFAULT pg_catalog.now(),
    -- The login in the database.
    by        text        NOT NULL DEFAULT SESSION_USER,
    -- Whether it was done although devices would be stranded, and what was known of them.
    is_forced boolean     NOT NULL DEFAULT false,
    detail    text        NOT NULL
);
