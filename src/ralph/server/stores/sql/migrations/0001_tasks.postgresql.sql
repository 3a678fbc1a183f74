CREATE SEQUENCE epoch;

-- The clock of leases, the same throughout a transaction.
CREATE FUNCTION now_ms() RETURNS BIGINT LANGUAGE SQL STABLE
  AS 'SELECT floor(extract(epoch FROM transaction_timestamp()) * 1000)::bigint';

-- Room in each page for heartbeats; and what they leave is cleaned up early.
ALTER TABLE tasks SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
