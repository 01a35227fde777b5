-- Version 0.0.2.

ALTER TABLE easitopen.business
    ADD COLUMN custom_label text;
