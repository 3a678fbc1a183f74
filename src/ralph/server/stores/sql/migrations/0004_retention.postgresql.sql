
-- When it was last put. The version before does not say so, and runs beside this one.
ALTER TABLE blobs ADD COLUMN at BIGINT NOT NULL DEFAULT now_ms();
CREATE INDEX blobs_by_age ON blobs (at);
