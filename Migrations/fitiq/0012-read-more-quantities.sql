-- Version 0.0.8 reads more quantities: fractions that are one character, digits of all scripts, other slashes; and it no longer reads
-- what two people read in two ways, or what is only the beginning of a number. `0007-split-quantity-text.sql` filled numbers and units by
-- what was known then; this fills those anew which would be others.
--
-- A text that says its number as shortly as it can is how newer versions write theirs, and stays as it is: nobody typed it. What servers of the
-- release before write until they stop is read as they know.

-- phase: expand

-- What `QuantityText.split` does in Swift, branch by branch: first each digit and mark becomes the ASCII one that it stands for, one
-- character for one, so that the unit can be taken from the text as it was typed.
--   1: white space; not "1,500" or "1.500", which two people read in two ways;
--   2: an integer or decimal number, or 3: perhaps a whole number, and 4 / 5: a fraction, or 6: perhaps a whole number, and 7: a fraction
--   of one character; white space; perhaps a unit, which is no exponent ("1e9"), no factor ("x100"), no group of digits ("'500"), and does
--   not begin with what belongs to a number.
-- Everything else is 0 and ''. Classes are spelt out and compared in the C collation: nothing depends on a locale.
CREATE FUNCTION fitiq.read_quantity(quantity text, OUT number double precision, OUT unit text)
    LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog
AS $$
    WITH plain AS MATERIALIZED (
        SELECT translate(
            quantity COLLATE "C",
            (SELECT string_agg(chr(zero + place), '' ORDER BY zero, place)
             FROM unnest(ARRAY[
                1632, 1776, 1984, 2406, 2534, 2662, 2790, 2918, 3046, 3174, 3302, 3430, 3558, 3664, 3792, 3872,
                4160, 4240, 6112, 6160, 6470, 6608, 6784, 6800, 6992, 7088, 7232, 7248, 42528, 43216, 43264,
                43472, 43504, 43600, 44016, 65296, 66720, 68912, 69734, 69872, 69942, 70096, 70384, 70736,
                70864, 71248, 71360, 71472, 71904, 72016, 72784, 73040, 73120, 92768, 92864, 93008, 120782,
                120792, 120802, 120812, 120822, 123200, 123632, 125264, 130032
             ]) AS zero, generate_series(0, 9) AS place)
                || U&'\2044\2215\FF0F\FF0E\066B\FF0C',
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
            '(?:(?![eE][+-]?[0-9])'
            '(?![xX\u00D7*\u2715\u2716][ \t\n\r\u00A0\u2009\u202F\u3000]*[0-9\u00BC-\u00BE\u2150-\u215E\u2189])'
            '(?![''\u2019\u2018\u02BC`\u00B4\u2032_\u066C\uFF07][0-9\u00BC-\u00BE\u2150-\u215E\u2189])'
            '[^- \t\n\r\u00A0\u2009\u202F\u30000-9.,/+\u2010-\u2015\u2212\uFF0B\uFF0D\u00BC-\u00BE\u2150-\u215F\u2189]'
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

-- What `0007-split-quantity-text.sql` did, so that only its own are filled anew.
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

-- phase: backfill
-- migrate: table=fitiq.sd_meal_log_item batch=1000
-- sync: republish(SDMealLogItem)

UPDATE fitiq.sd_meal_log_item AS item
SET (quantity_v8, unit) = (SELECT number, read.unit FROM fitiq.read_quantity(item.quantity) AS read)
FROM batch
WHERE (item.space_id, item.id) = (batch.space_id, batch.id)
    AND item.quantity COLLATE "C" ~ U&'[^\0001-\007E]|[_''xX*`]|[0-9][.][0-9]{3}'
    AND item.quantity <> CASE WHEN item.unit = '' THEN item.quantity_v8::text ELSE item.quantity_v8::text || ' ' || item.unit END
    AND EXISTS (
        SELECT FROM fitiq.read_quantity_as_0007(item.quantity) AS read
        WHERE (read.number, read.unit) = (item.quantity_v8, item.unit)
    )
    AND NOT EXISTS (
        SELECT FROM fitiq.read_quantity(item.quantity) AS read
        WHERE (read.number, read.unit) = (item.quantity_v8, item.unit)
    );

-- phase: contract

DROP FUNCTION fitiq.read_quantity(text);
DROP FUNCTION fitiq.read_quantity_as_0007(text);
