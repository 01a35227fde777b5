-- sync: silent
--
-- Version 1.0.0. (Version 1.1.0 changes nothing that is stored.)
--
-- Silent: no record gets a new number in its space, because no device learns anything. A device that moves to this version
-- asks for what the older one could not see.

ALTER TABLE easitopen.business
    ADD COLUMN google_place_id text,
    ADD COLUMN last_updated    timestamptz,
    ADD COLUMN last_checked    timestamptz;

-- Row-level security is forced on the table's owner too; for this update, of all spaces, it is not.
ALTER TABLE easitopen.business NO FORCE ROW LEVEL SECURITY;

-- The record's creation: the wall time of its creating stamp, or of its only one where it was never explicitly created. A
-- stamp's upper 42 bits are milliseconds since 1970.
UPDATE easitopen.business
SET last_updated = timestamptz '1970-01-01 00:00:00+00'
    + interval '1 millisecond' * ((CASE WHEN born > 0 THEN born ELSE stamp END) >> 11);

ALTER TABLE easitopen.business FORCE ROW LEVEL SECURITY;

ALTER TABLE easitopen.business
    ALTER COLUMN last_updated SET NOT NULL;
