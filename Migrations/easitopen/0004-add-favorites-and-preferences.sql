-- sync: silent
--
-- Version 2.0.0. A phone number keeps its column under its new name.
--
-- Silent: every record has what a device assumes of one that it was not told about.

ALTER TABLE easitopen.business
    ADD COLUMN is_favorite boolean NOT NULL DEFAULT false,
    ADD COLUMN preferences json;
