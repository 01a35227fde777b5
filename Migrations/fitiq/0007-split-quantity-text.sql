-- accepts: 5cc39c0d8ed52394597936920021e8e9bb9018433f85ca22f399390e4702d64e
-- sync: silent
--
-- Version 0.0.8: an item's quantity is a number and a unit. The text stays for older versions, and is filled by newer ones.
--
-- Silent: no record gets a new number in its space, because no device learns anything. Older versions read the text as
-- before, and a device that moves to this version asks for what the older one could not see.

-- phase: expand

ALTER TABLE fitiq.sd_meal_log_item
    ADD COLUMN quantity_v8 double precision,
    ADD COLUMN unit        text;

-- What `QuantityText.split` does in Swift, branch by branch:
--   white space; not "1,500", which two people read in two ways;
--   1: an integer or decimal number, or 2: perhaps a whole number, and 3 / 4: a fraction;
--   white space; 5: perhaps a unit, which is not an exponent ("1e9") and does not begin with what belongs to a number.
-- Everything else is 0 and ''. Classes are spelt out and compared in the C collation: nothing depends on a locale.
CREATE FUNCTION fitiq.split_quantity(quantity text, OUT number double precision, OUT unit text)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT
        coalesce(
            replace(part[1], ',', '.')::double precision,
            coalesce(part[2]::double precision, 0) + part[3]::double precision / part[4]::double precision,
            0),
        coalesce(part[5], '')
    FROM (SELECT regexp_match(
        quantity COLLATE "C",
        '^[ \t\n\r\u00A0\u2009\u202F]*'
        '(?![1-9][0-9]{0,2},[0-9]{3}(?![0-9]))'
        '(?:([0-9]{1,15}(?:[.,][0-9]{1,15})?|[.,][0-9]{1,15})'
        '|(?:([0-9]{1,9})[ \t\n\r\u00A0\u2009\u202F]+)?([0-9]{1,9})/([1-9][0-9]{0,8}))'
        '[ \t\n\r\u00A0\u2009\u202F]*'
        '(?:(?![eE][+-]?[0-9])'
        '([^- \t\n\r\u00A0\u2009\u202F0-9.,/+\u2010-\u2015\u2212\u2044\u2215\u00BC-\u00BE\u2150-\u215F]'
        '(?:.*[^ \t\n\r\u00A0\u2009\u202F])?)'
        '[ \t\n\r\u00A0\u2009\u202F]*)?$'
    ) AS part) AS matched
$$;

-- Until the contract, servers that do not know the new columns write items as well.
CREATE FUNCTION fitiq.fill_quantity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    SELECT number, split.unit INTO NEW.quantity_v8, NEW.unit FROM fitiq.split_quantity(NEW.quantity) AS split;
    RETURN NEW;
END
$$;

CREATE TRIGGER fill_new_quantity BEFORE INSERT ON fitiq.sd_meal_log_item
    FOR EACH ROW WHEN (NEW.quantity_v8 IS NULL)
    EXECUTE FUNCTION fitiq.fill_quantity();

CREATE TRIGGER fill_quantity BEFORE UPDATE ON fitiq.sd_meal_log_item
    FOR EACH ROW WHEN (
        NEW.quantity IS DISTINCT FROM OLD.quantity
        AND NEW.quantity_v8 IS NOT DISTINCT FROM OLD.quantity_v8
        AND NEW.unit IS NOT DISTINCT FROM OLD.unit)
    EXECUTE FUNCTION fitiq.fill_quantity();

-- phase: backfill
-- migrate: table=fitiq.sd_meal_log_item batch=1000

UPDATE fitiq.sd_meal_log_item AS item
SET (quantity_v8, unit) = (SELECT number, split.unit FROM fitiq.split_quantity(item.quantity) AS split)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.quantity_v8 IS NULL;

-- phase: verify

SELECT space_id, id FROM fitiq.sd_meal_log_item WHERE quantity_v8 IS NULL OR unit IS NULL;

-- phase: contract

ALTER TABLE fitiq.sd_meal_log_item
    ADD CONSTRAINT quantity_is_split CHECK (quantity_v8 IS NOT NULL AND unit IS NOT NULL) NOT VALID;

-- phase: contract
-- migrate: transaction=none

ALTER TABLE fitiq.sd_meal_log_item VALIDATE CONSTRAINT quantity_is_split;

-- phase: contract

-- What was validated is not looked for again.
ALTER TABLE fitiq.sd_meal_log_item
    ALTER COLUMN quantity_v8 SET NOT NULL,
    ALTER COLUMN unit SET NOT NULL,
    DROP CONSTRAINT quantity_is_split;

DROP TRIGGER fill_new_quantity ON fitiq.sd_meal_log_item;
DROP TRIGGER fill_quantity ON fitiq.sd_meal_log_item;
DROP FUNCTION fitiq.fill_quantity();
DROP FUNCTION fitiq.split_quantity(text);
