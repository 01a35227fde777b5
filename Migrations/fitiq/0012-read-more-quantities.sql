-- Version 0.0.8 reads more quantities: fractions that are one character, digits of all scripts, other slashes. And it no longer reads
-- what two people read in two ways, nor the beginning of a number for the whole. Servers of before, and
-- `0007-split-quantity-text.sql`, read what they knew; this reads anew the texts of which they made another number or unit.
--
-- Only where the text still is what somebody typed, and number and unit what was read in it then: an edit of either by a newer version
-- writes the text, too. A text that says its number as shortly as it can may be one that a newer version wrote. It stays as it is, a wrong
-- number ("2 x 100g") included, but where no newer version has written yet: in spaces of servers that end before 0007.
--
-- Devices are told: those with a number, of the one that it is now; older ones of the text that they have.

-- phase: expand

-- Digits of the scripts that have any of their own, those of one after those of another.
CREATE FUNCTION fitiq.digits_of_scripts() RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT string_agg(chr(zero + place), '' ORDER BY zero, place)
    FROM unnest(ARRAY[
        1632, 1776, 1984, 2406, 2534, 2662, 2790, 2918, 3046, 3174, 3302, 3430, 3558, 3664, 3792, 3872, 4160, 4240, 6112,
        6160, 6470, 6608, 6784, 6800, 6992, 7088, 7232, 7248, 42528, 43216, 43264, 43472, 43504, 43600, 44016, 65296,
        66720, 68912, 69734, 69872, 69942, 70096, 70384, 70736, 70864, 71248, 71360, 71472, 71904, 72016, 72784, 73040,
        73120, 92768, 92864, 93008, 120782, 120792, 120802, 120812, 120822, 123200, 123632, 125264, 130032
    ]) AS zero, generate_series(0, 9) AS place
$$;

-- What `QuantityText.split` does in Swift, branch by branch: first each digit and mark becomes the ASCII one that it stands for, one
-- character for one, so that the unit can be taken from the text as it was typed.
--   1: white space; not "1,500" or "1.500", which two people read in two ways;
--   2: an integer or decimal number, or 3: perhaps a whole number, and 4 / 5: a fraction, or 6: perhaps a whole number, and 7: a fraction
--   of one character; white space; perhaps a unit, which is no more of the number (marks and another number: "'500", "x100", "e9") and
--   does not begin with what belongs to one.
-- Everything else is 0 and ''. Classes are spelt out and compared in the C collation: nothing depends on a locale.
CREATE FUNCTION fitiq.read_quantity(quantity text, OUT number double precision, OUT unit text)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    WITH plain AS MATERIALIZED (
        SELECT translate(
            quantity COLLATE "C",
            fitiq.digits_of_scripts() || U&'\2044\2215\FF0F\FF0E\066B\FF0C',
            repeat('0123456789', 65) || '///..,') AS text
    ),
    matched AS MATERIALIZED (
        SELECT regexp_match(
            plain.text,
            '^([ \t\n\r\u00A0\u2009\u202F\u3000]*'
            '(?![1-9][0-9]{0,2}[.,][0-9]{3}(?![0-9]))'
            '(?:([0-9]{1,15}(?:[.,][0-9]{1,15})?|[.,][0-9]{1,15})'
            '|(?:([0-9]{1,9})[ \t\n\r\u00A0\u2009\u202F\u3000]+)?([0-9]{1,9})/([1-9][0-9]{0,8})'
            '|(?:([0-9]{1,9})[ \t\n\r\u00A0\u2009\u202F\u3000]*)?([\u00BC-\u00BE\u2150-\u215E\u2189]))'
            '[ \t\n\r\u00A0\u2009\u202F\u3000]*)'
            '(?:(?![xXeE\u0425\u0445\uFF38\uFF58\uFF25\uFF45]?'
            '[\u0001-\u0027\u0029-\u002F\u003A-\u0040\u005C-\u0060\u007C-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB\u00BF\u00D7\u00F7'
            '\u02B0-\u036F\u0600-\u061F\u066A-\u066D\u2000-\u20FF\u2190-\u25FF\u2715-\u2716\u2795-\u2797\u2900-\u2BFF'
            '\u2E00-\u2E7F\u3000-\u3006\u3008-\u3020\u302A-\u3030\u303D\u30A0\u30FB-\u30FC\uFE00-\uFE19\uFE50-\uFE6B'
            '\uFEFF\uFF01-\uFF07\uFF09-\uFF0F\uFF1A-\uFF20\uFF3C-\uFF40\uFF5C-\uFF65\uFFE0-\uFFEE]*'
            '[0-9\u00BC-\u00BE\u2150-\u215E\u2189])'
            '[^- \t\n\r\u00A0\u2009\u202F\u30000-9.,/+\u2010-\u2015\u2212\uFF0B\uFF0D\u00BC-\u00BE\u2150-\u215F\u2189'
            '\u00B2\u00B3\u00B9\u2070-\u2089\u3007]'
            '(?:.*[^ \t\n\r\u00A0\u2009\u202F\u3000])?)?[ \t\n\r\u00A0\u2009\u202F\u3000]*$'
        ) AS part FROM plain
    ),
    fraction AS MATERIALIZED (
        SELECT strpos('¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉', matched.part[7]) AS place FROM matched
    )
    SELECT
        coalesce(
            replace(part[2], ',', '.')::double precision,
            coalesce(part[3]::double precision, 0) + part[4]::double precision / part[5]::double precision,
            coalesce(part[6]::double precision, 0)
                + ('{1,1,3,1,1,1,1,2,1,2,3,4,1,5,1,3,5,7,0}'::double precision[])[place]
                / ('{4,2,4,7,9,10,3,3,5,5,5,5,6,6,8,8,8,8,3}'::double precision[])[place],
            0),
        CASE WHEN part IS NULL THEN ''
            ELSE rtrim(substr(quantity, char_length(part[1]) + 1), U&' \0009\000A\000D\00A0\2009\202F\3000') END
    FROM matched, fraction
$$;

-- What `0007-split-quantity-text.sql` does, and servers of before did.
CREATE FUNCTION fitiq.read_quantity_as_0007(quantity text, OUT number double precision, OUT unit text)
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

-- Whether number and unit are what was read in the text before, and are read otherwise now.
--   is_typed: whether somebody typed the text in any case. Otherwise one that `QuantityText.merge` may have made is left alone; where it
--   could be taken for thousands, that writes a 0 more.
CREATE FUNCTION fitiq.is_read_otherwise(quantity text, stored_number double precision, stored_unit text, is_typed boolean)
    RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    SELECT (earlier.number, earlier.unit) = (stored_number, stored_unit)
        AND (latest.number, latest.unit) <> (stored_number, stored_unit)
        AND (is_typed OR quantity NOT IN (shortest.number || rest.unit, shortest.number || '0' || rest.unit))
    FROM fitiq.read_quantity_as_0007(quantity) AS earlier, fitiq.read_quantity(quantity) AS latest,
        -- Digits alone, without an exponent.
        (SELECT stored_number::text::numeric::text AS number) AS shortest,
        (SELECT CASE WHEN stored_unit = '' THEN '' ELSE ' ' || stored_unit END AS unit) AS rest
$$;

-- Until the contract, servers of the release before write items as well, by what they know. Each says which migrations it knows. The
-- triggers of 0007 come first, by their names.
CREATE FUNCTION fitiq.reread_quantity() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog
AS $$
BEGIN
    IF fitiq.is_read_otherwise(
        NEW.quantity, NEW.quantity_v8, NEW.unit, sync.writer_level('fitiq') BETWEEN 1 AND 6)
    THEN
        SELECT number, read.unit INTO NEW.quantity_v8, NEW.unit FROM fitiq.read_quantity(NEW.quantity) AS read;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER reread_new_quantity BEFORE INSERT ON fitiq.sd_meal_log_item
    FOR EACH ROW WHEN (sync.writer_level('fitiq') < 12)
    EXECUTE FUNCTION fitiq.reread_quantity();

CREATE TRIGGER reread_quantity BEFORE UPDATE ON fitiq.sd_meal_log_item
    FOR EACH ROW WHEN (NEW.quantity IS DISTINCT FROM OLD.quantity AND sync.writer_level('fitiq') < 12)
    EXECUTE FUNCTION fitiq.reread_quantity();

-- phase: backfill
-- migrate: table=fitiq.sd_meal_log_item batch=1000
-- sync: republish(SDMealLogItem)

UPDATE fitiq.sd_meal_log_item AS item
SET (quantity_v8, unit) = (SELECT number, read.unit FROM fitiq.read_quantity(item.quantity) AS read)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id)
    -- Most are of this kind, and read as before: they are not looked at twice.
    AND item.quantity COLLATE "C" !~ '^[0-9]{1,9}([.,][0-9]{1,2})? ?([A-DF-WYZa-df-wyz][A-Za-z ]*)?$'
    AND fitiq.is_read_otherwise(
        item.quantity, item.quantity_v8, item.unit,
        EXISTS (
            SELECT FROM sync.space AS space
            WHERE space.space_id = item.space_id AND space.app = 'fitiq' AND space.level < 7
        )
    );

-- phase: contract

DROP TRIGGER reread_new_quantity ON fitiq.sd_meal_log_item;
DROP TRIGGER reread_quantity ON fitiq.sd_meal_log_item;
DROP FUNCTION fitiq.reread_quantity();
DROP FUNCTION fitiq.is_read_otherwise(text, double precision, text, boolean);
DROP FUNCTION fitiq.read_quantity_as_0007(text);
DROP FUNCTION fitiq.read_quantity(text);
DROP FUNCTION fitiq.digits_of_scripts();
