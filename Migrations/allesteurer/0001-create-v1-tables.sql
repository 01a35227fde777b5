-- Version 1.0.0: products and their purchases.
--
-- In every file of this line: a table is an entity and a column an attribute, both named by their first names, so that a
-- renaming needs no SQL. The columns of one file stand in the order in which the version declares them.

CREATE SCHEMA allesteurer;

GRANT USAGE ON SCHEMA allesteurer TO syncserver_serving;

CREATE TABLE allesteurer.product_v1 (
    LIKE sync.record INCLUDING ALL,
    normalized_name            text             NOT NULL,
    best_price_per_quantity    double precision NOT NULL,
    best_price_store           text             NOT NULL,
    highest_price_per_quantity double precision NOT NULL,
    highest_price_store        text             NOT NULL,
    unit                       text             NOT NULL,
    last_updated               timestamptz      NOT NULL
);

SELECT sync.enroll('allesteurer.product_v1');

CREATE TABLE allesteurer.purchase_v1 (
    LIKE sync.record INCLUDING ALL,
    shop_name           text             NOT NULL,
    date                timestamptz      NOT NULL,
    total_price         double precision NOT NULL,
    quantity            double precision NOT NULL,
    actual_product_name text             NOT NULL,
    unit                text             NOT NULL,
    product             uuid
);

CREATE INDEX ON allesteurer.purchase_v1 (space_id, product);

SELECT sync.enroll('allesteurer.purchase_v1');
