-- Run by Benchmarks/row-size, in a database that has FitIQ's tables and nothing in them. The superuser who runs it is
-- not bound by row-level security, and the copies have none.

\pset border 2
\pset tuples_only off

CREATE SCHEMA bench;

-- Whole records, as 0.1.1 creates them, of a hundred spaces.
CREATE TABLE bench.meal AS
SELECT md5('space' || n % 100)::uuid AS space_id, md5('meal' || n)::uuid AS id, n / 100 AS seq,
    3676673726556160 + (n::bigint << 11) AS stamp, md5('device' || n % 100)::uuid AS device,
    'Oatmeal with blueberries and a spoon of honey ' || n AS raw_input, 'breakfast' AS meal_type,
    'completed' AS status, timestamptz '2026-01-01' + n * interval '1 minute' AS logged_at, 'after the run' AS notes,
    timestamptz '2026-01-01' + n * interval '1 minute' AS created_at,
    timestamptz '2026-01-01' + n * interval '1 minute' AS updated_at, 'meal-' || n AS backend_id,
    'synced' AS sync_status, NULL::text AS error_message, 300 + n % 400 AS total_calories,
    12.5::float8 AS total_protein_g, 54.25::float8 AS total_carbs_g, 8.75::float8 AS total_fat_g,
    6.5::float8 AS total_fiber_g, 18.25::float8 AS total_sugar_g,
    timestamptz '2026-01-01' + n * interval '1 minute' AS processing_started_at,
    timestamptz '2026-01-01' + n * interval '1 minute' AS processing_completed_at,
    md5('profile' || n % 100)::uuid AS user_profile, 'Oatmeal' AS name
FROM generate_series(1, :rows) AS n;

\set attributes 'raw_input, meal_type, status, logged_at, notes, created_at, updated_at, backend_id, sync_status, error_message, total_calories, total_protein_g, total_carbs_g, total_fat_g, total_fiber_g, total_sugar_g, processing_started_at, processing_completed_at, user_profile, name'

-- The same without sync: a space, an id, the attributes; the key, and the reference's index.
CREATE TABLE bench.without_sync (LIKE fitiq.sd_meal);
ALTER TABLE bench.without_sync
    DROP COLUMN seq, DROP COLUMN alive, DROP COLUMN stamp, DROP COLUMN stamps, DROP COLUMN born, DROP COLUMN died,
    DROP COLUMN device, DROP COLUMN seen, DROP COLUMN since, DROP COLUMN dangling;
-- Dropped columns leave their places in the rows; a copy has none.
CREATE TABLE bench.plain AS SELECT * FROM bench.without_sync;
ALTER TABLE bench.plain ADD PRIMARY KEY (space_id, id);
CREATE INDEX ON bench.plain (space_id, user_profile);
INSERT INTO bench.plain (space_id, id, :attributes) SELECT space_id, id, :attributes FROM bench.meal;

CREATE TABLE bench.fresh (LIKE fitiq.sd_meal INCLUDING ALL);
CREATE TABLE bench.edited (LIKE fitiq.sd_meal INCLUDING ALL);
CREATE TABLE bench.scattered (LIKE fitiq.sd_meal INCLUDING ALL);

-- The stored stamps are laid out as StampSet says. All twenty attributes have the stamp of the row:
INSERT INTO bench.fresh (space_id, id, seq, alive, stamp, stamps, born, died, device, seen, since, :attributes)
SELECT space_id, id, seq, true, stamp, '\x03ffff0f', stamp, 0, device, 0, seq, :attributes FROM bench.meal;

-- The notes, the fifth of them, have another one:
INSERT INTO bench.edited (space_id, id, seq, alive, stamp, stamps, born, died, device, seen, since, :attributes)
SELECT space_id, id, seq, true, stamp, '\x03efff0f' || int2send(4::int2) || int8send(stamp + 1), stamp, 0, device, 0, seq,
    :attributes
FROM bench.meal;

-- Each has its own, and that of the last is the row's:
INSERT INTO bench.scattered (space_id, id, seq, alive, stamp, stamps, born, died, device, seen, since, :attributes)
SELECT space_id, id, seq, true, stamp + 19,
    '\x03000008' || (
        SELECT string_agg(int2send(key::int2) || int8send(stamp + key), '' ORDER BY key) FROM generate_series(0, 18) AS key
    ), stamp, 0, device, 0, seq, :attributes
FROM bench.meal;

VACUUM ANALYZE bench.plain, bench.fresh, bench.edited, bench.scattered;

\echo 'Bytes for each row'
SELECT title AS "table", round(avg_size, 1) AS "row itself",
    round(pg_table_size(name)::numeric / :rows, 1) AS "table, with its pages",
    round(pg_indexes_size(name)::numeric / :rows, 1) AS "indexes",
    round(pg_total_relation_size(name)::numeric / :rows, 1) AS "all",
    round(pg_total_relation_size(name)::numeric / pg_total_relation_size('bench.plain'), 2) AS "to plain"
FROM (
    SELECT 1, 'plain', 'bench.plain'::regclass, (SELECT avg(pg_column_size(t)) FROM bench.plain AS t)
    UNION ALL SELECT 2, 'created', 'bench.fresh'::regclass, (SELECT avg(pg_column_size(t)) FROM bench.fresh AS t)
    UNION ALL SELECT 3, 'one attribute later', 'bench.edited'::regclass,
        (SELECT avg(pg_column_size(t)) FROM bench.edited AS t)
    UNION ALL SELECT 4, 'each at its own time', 'bench.scattered'::regclass,
        (SELECT avg(pg_column_size(t)) FROM bench.scattered AS t)
) AS measured (place, title, name, avg_size)
ORDER BY place;

\echo 'Bytes of the columns of sync'
SELECT title AS "table", seq, alive, stamp, stamps, born_died AS "born, died", author AS "device, seen, since", dangling
FROM (
    SELECT 1, 'created', * FROM (SELECT avg(pg_column_size(seq))::int, avg(pg_column_size(alive))::int,
        avg(pg_column_size(stamp))::int, avg(pg_column_size(stamps))::int,
        avg(pg_column_size(born) + pg_column_size(died))::int,
        avg(pg_column_size(device) + pg_column_size(seen) + pg_column_size(since))::int,
        avg(pg_column_size(dangling))::int FROM bench.fresh) AS a
    UNION ALL SELECT 2, 'one attribute later', * FROM (SELECT avg(pg_column_size(seq))::int, avg(pg_column_size(alive))::int,
        avg(pg_column_size(stamp))::int, avg(pg_column_size(stamps))::int,
        avg(pg_column_size(born) + pg_column_size(died))::int,
        avg(pg_column_size(device) + pg_column_size(seen) + pg_column_size(since))::int,
        avg(pg_column_size(dangling))::int FROM bench.edited) AS b
    UNION ALL SELECT 3, 'each at its own time', * FROM (SELECT avg(pg_column_size(seq))::int, avg(pg_column_size(alive))::int,
        avg(pg_column_size(stamp))::int, avg(pg_column_size(stamps))::int,
        avg(pg_column_size(born) + pg_column_size(died))::int,
        avg(pg_column_size(device) + pg_column_size(seen) + pg_column_size(since))::int,
        avg(pg_column_size(dangling))::int FROM bench.scattered) AS c
) AS measured (place, title, seq, alive, stamp, stamps, born_died, author, dangling)
ORDER BY place;
