ALTER TABLE tags.tag ADD COLUMN color text;
