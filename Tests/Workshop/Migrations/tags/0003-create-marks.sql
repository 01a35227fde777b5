CREATE TABLE tags.mark (LIKE sync.record INCLUDING ALL, count bigint NOT NULL, note uuid, tag uuid);
CREATE INDEX ON tags.mark (space_id, note) WHERE note IS NOT NULL;
CREATE INDEX ON tags.mark (space_id, tag) WHERE tag IS NOT NULL;
SELECT sync.enroll('tags.mark');
