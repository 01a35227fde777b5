-- What the device of a held change had read of its record and only said again, so that a replay writes nothing that nobody edited.

-- phase: expand

ALTER TABLE sync.quarantine
    -- The fields that only repeat what was read, and what stood there, as JSON. NULL: nobody has noted it, because a server of the release
    -- before has held the change; then all that it says is taken for edits.
    ADD COLUMN reading text;
