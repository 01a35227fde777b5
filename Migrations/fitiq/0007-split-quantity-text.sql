-- sync: silent
--
-- Version 0.0.8: an item's quantity is a number and a unit. The text stays for older versions, and is filled by newer ones.
--
-- Silent: no record gets a new number in its space, because no device learns anything. Older versions read the text as
-- before, and a device that moves to this version asks for what the older one could not see.

ALTER TABLE fitiq.sd_meal_log_item
    ADD COLUMN quantity_v8 double precision,
    ADD COLUMN unit        text;

-- Row-level security is forced on the tables' owner too; for this update, of all spaces, it is not.
ALTER TABLE fitiq.sd_meal_log_item NO FORCE ROW LEVEL SECURITY;

-- What `QuantityText.split` does in Swift, branch by branch:
--   white space; not "1,500", which two people read in two ways;
--   1: an integer or decimal number, or 2: perhaps a whole number, and 3 / 4: a fraction;
--   white space; 5: perhaps a unit, which is not an exponent ("1e9") and does not begin with what belongs to a number.
-- Everything else is 0 and ''. Classes are spelt out and compared in the C collation: nothing depends on a locale.
UPDATE fitiq.sd_meal_log_item AS item
SET (quantity_v8, unit) = (
    SELECT
        coalesce(
            replace(part[1], ',', '.')::double precision,
            coalesce(part[2]::double precision, 0) + part[3]::double precision / part[4]::double precision,
            0),
        coalesce(part[5], '')
    FROM regexp_match(
        item.quantity COLLATE "C",
        '^[ \t\n\r\u00A0\u2009\u202F]*'
        '(?![1-9][0-9]{0,2},[0-9]{3}(?![0-9]))'
        '(?:([0-9]{1,15}(?:[.,][0-9]{1,15})?|[.,][0-9]{1,15})'
        '|(?:([0-9]{1,9})[ \t\n\r\u00A0\u2009\u202F]+)?([0-9]{1,9})/([1-9][0-9]{0,8}))'
        '[ \t\n\r\u00A0\u2009\u202F]*'
        '(?:(?![eE][+-]?[0-9])'
        '([^- \t\n\r\u00A0\u2009\u202F0-9.,/+\u2010-\u2015\u2212\u2044\u2215\u00BC-\u00BE\u2150-\u215F]'
        '(?:.*[^ \t\n\r\u00A0\u2009\u202F])?)'
        '[ \t\n\r\u00A0\u2009\u202F]*)?$'
    ) AS part
);

ALTER TABLE fitiq.sd_meal_log_item FORCE ROW LEVEL SECURITY;

ALTER TABLE fitiq.sd_meal_log_item
    ALTER COLUMN quantity_v8 SET NOT NULL,
    ALTER COLUMN unit SET NOT NULL;
