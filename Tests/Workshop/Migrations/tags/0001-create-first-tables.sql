CREATE SCHEMA tags;
GRANT USAGE ON SCHEMA tags TO syncserver_serving;

CREATE TABLE tags.tag (LIKE sync.record INCLUDING ALL, name text NOT NULL);
SELECT sync.enroll('tags.tag');

CREATE TABLE tags.note (LIKE sync.record INCLUDING ALL, text text NOT NULL, tag uuid, reply uuid);
CREATE INDEX ON tags.note (space_id, tag) WHERE tag IS NOT NULL;
CREATE INDEX ON tags.note (space_id, reply) WHERE reply IS NOT NULL;
SELECT sync.enroll('tags.note');
