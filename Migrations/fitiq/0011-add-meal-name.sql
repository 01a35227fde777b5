-- The first cut of version 0.1.0, which was shipped under its number: a meal has a name. No other version reads it.

ALTER TABLE fitiq.sd_meal
    ADD COLUMN name text;
