-- sync: silent
--
-- Version 3.0.0: sizes are exact.
--
-- Silent: no record gets a new number in its space, because no device learns anything.

-- PostgreSQL's own default; it means the shortest text that reads back as the same Double.
SET LOCAL extra_float_digits = 1;

-- As in Migrations/allesteurer/0002-make-numbers-exact.sql, which says why.
CREATE FUNCTION workshop.shortest(number double precision) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog
AS $$
DECLARE
    written numeric := number::text::numeric;
    step    numeric;
    nearer  numeric;
    further numeric;
BEGIN
    IF abs(number) < 18014398509481984 THEN
        RETURN written;
    END IF;
    FOR digits IN 1..16 LOOP
        step := ('1e' || length(abs(written)::text) - digits)::numeric;
        nearer := div(written, step) * step;
        further := nearer + sign(written) * step;
        IF nearer::double precision = number THEN
            RETURN nearer;
        ELSIF abs(further) < 17976931348623158e292 AND further::double precision = number THEN
            RETURN further;
        END IF;
    END LOOP;
    RETURN written;
END
$$;

ALTER TABLE workshop.tool
    ALTER COLUMN longest TYPE numeric USING workshop.shortest(longest),
    ALTER COLUMN size TYPE numeric USING workshop.shortest(size);

DROP FUNCTION workshop.shortest(double precision);
