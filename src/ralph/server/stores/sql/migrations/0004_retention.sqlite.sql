
-- When it was last put. Of those that are there no one knows: a worker that still needs one puts it again.
ALTER TABLE blobs ADD COLUMN at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX blobs_by_age ON blobs (at);
