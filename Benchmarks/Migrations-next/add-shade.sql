-- sync: silent
--
-- What W11 runs beside traffic: a column, filled for every row that is there, as a file of the line `bench`. It is run
-- several times, as files that each have a number in the column's name. No plan knows the column, so no server minds.

-- phase: expand

ALTER TABLE bench.progress_entry ADD COLUMN shade text;

-- phase: backfill
-- migrate: table=bench.progress_entry batch=1000

UPDATE bench.progress_entry AS entry
SET shade = upper(entry.note)
FROM batch
WHERE (entry.space_id, entry.id) = (batch.space_id, batch.id);

-- phase: verify

SELECT space_id, id FROM bench.progress_entry WHERE shade IS NULL;
