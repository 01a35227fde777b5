-- sync: silent
--
-- Version 2.0.0: prices and quantities are exact. (Version 3.0.0 adds only what stays on the device.)
--
-- Silent: no record gets a new number in its space, because no device learns anything. Older versions go on reading the
-- Double that they wrote, computed from the exact number.
--
-- This rewrites both tables, under a lock that stops reads and writes of them meanwhile.

-- PostgreSQL's own default; it means the shortest text that reads back as the same Double.
SET LOCAL extra_float_digits = 1;

-- What `DoubleToDecimal.up` does in Swift: through the shortest text. A plain cast to numeric keeps 15 digits, which changes
-- most Doubles. From 2^54 on Swift's text may be shorter than PostgreSQL's, which does not use a decimal that is exactly
-- halfway between two Doubles even where every reader rounds it to this one (1e23): the first that does is the shortest.
CREATE FUNCTION allesteurer.shortest(number double precision) RETURNS numeric
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

ALTER TABLE allesteurer.product_v1
    ALTER COLUMN best_price_per_quantity TYPE numeric USING allesteurer.shortest(best_price_per_quantity),
    ALTER COLUMN highest_price_per_quantity TYPE numeric USING allesteurer.shortest(highest_price_per_quantity);

ALTER TABLE allesteurer.purchase_v1
    ALTER COLUMN total_price TYPE numeric USING allesteurer.shortest(total_price),
    ALTER COLUMN quantity TYPE numeric USING allesteurer.shortest(quantity);

DROP FUNCTION allesteurer.shortest(double precision);
