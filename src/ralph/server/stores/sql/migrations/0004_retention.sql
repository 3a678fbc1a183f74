-- Which pull requests landers look after, and which blobs are used no more.

ALTER TABLE tasks ADD COLUMN unmerged SMALLINT NOT NULL DEFAULT 0;
UPDATE tasks SET unmerged = 1 WHERE status = 'complete' AND merged = 0 AND progress LIKE '%"landed":"pr"%';
CREATE INDEX unmerged ON tasks (born, id) WHERE unmerged = 1;

-- 0: only the task's savepoint has it, no fact names it.
ALTER TABLE blob_uses ADD COLUMN named SMALLINT NOT NULL DEFAULT 1;
CREATE INDEX uses_of_blob ON blob_uses (hash);
