-- The tasks of a fleet. SERIAL64, BYTES, DOUBLE and TEXT are words of queries.py: each database has its own for them.
-- Migrations only add: the program before this one keeps running on what this makes.

CREATE TABLE repositories (name TEXT PRIMARY KEY, url TEXT NOT NULL, target TEXT NOT NULL);

-- Tasks of one queue are claimed by the same workers, and land in the same lane. `digest` is that of the other columns:
-- labels may be longer than what an index takes.
CREATE TABLE queues (
  id SERIAL64,
  digest TEXT NOT NULL UNIQUE,
  repository TEXT NOT NULL,
  labels TEXT NOT NULL,
  agent TEXT NOT NULL,
  assigned TEXT NOT NULL,
  lane TEXT NOT NULL
);

-- One column for each field of core/fleet/model.py:FleetTask; values that are not plain are JSON. Besides: the queue, and
-- what orders claims (readiness.urgency).
CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  queue BIGINT NOT NULL,
  rank SMALLINT NOT NULL,
  priority DOUBLE NOT NULL,
  born BIGINT NOT NULL,
  spec TEXT NOT NULL,
  lane TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'pending',
  phase TEXT NOT NULL DEFAULT 'work',
  reason TEXT NOT NULL DEFAULT '',
  waits INTEGER NOT NULL DEFAULT 0,
  failed_needs TEXT NOT NULL DEFAULT '[]',
  not_before BIGINT NOT NULL DEFAULT 0,
  proposed_by TEXT NOT NULL DEFAULT '',
  epoch BIGINT NOT NULL DEFAULT 0,
  holder TEXT NOT NULL DEFAULT '',
  claim_key TEXT NOT NULL DEFAULT '',
  lease_until BIGINT NOT NULL DEFAULT 0,
  assigned TEXT NOT NULL DEFAULT '',
  saved SMALLINT NOT NULL DEFAULT 0,
  vitals TEXT NOT NULL DEFAULT '{}',
  facts INTEGER NOT NULL DEFAULT 0,
  chain TEXT NOT NULL DEFAULT '',
  savepoint TEXT,
  protocol INTEGER NOT NULL DEFAULT 1,
  progress TEXT NOT NULL DEFAULT '{}',
  merged SMALLINT NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  faults TEXT NOT NULL DEFAULT '[]',
  retry TEXT,
  cancel_wanted SMALLINT NOT NULL DEFAULT 0
);

-- Neither lease_until nor vitals is in an index: so PostgreSQL writes a heartbeat without touching one (HOT).
CREATE INDEX ready ON tasks (queue, phase, rank, priority, born, id)
  WHERE holder = '' AND waits = 0 AND not_before = 0 AND status IN ('pending', 'in_progress');
CREATE INDEX held ON tasks (phase, queue) WHERE holder <> '';
CREATE INDEX parked ON tasks (not_before) WHERE not_before > 0;
CREATE UNIQUE INDEX one_landing ON tasks (lane) WHERE phase = 'land' AND holder <> '';
CREATE UNIQUE INDEX claim_keys ON tasks (claim_key) WHERE claim_key <> '';

CREATE TABLE facts (
  task TEXT NOT NULL,
  n INTEGER NOT NULL,
  epoch BIGINT NOT NULL,
  loop TEXT NOT NULL,
  kind TEXT NOT NULL,
  at TEXT NOT NULL,
  body BYTES NOT NULL,
  chain TEXT NOT NULL,
  PRIMARY KEY (task, n)
);

CREATE TABLE needs (task TEXT NOT NULL, place INTEGER NOT NULL, needs TEXT NOT NULL, PRIMARY KEY (task, place));
CREATE INDEX dependants ON needs (needs, task);

CREATE TABLE messages (
  id SERIAL64,
  task TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  author TEXT NOT NULL,
  taken_by INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX messages_of ON messages (task, id);

CREATE TABLE blobs (hash TEXT PRIMARY KEY, body BYTES NOT NULL);
CREATE TABLE blob_uses (task TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (task, hash));

CREATE TABLE requests (
  token TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  answer BYTES NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (token, key)
);
CREATE INDEX requests_by_age ON requests (at);

-- A change writes its row into the outbox; a relay moves it into events after the commit, and so numbers it.
CREATE TABLE outbox (id SERIAL64, task TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE events (seq SERIAL64, task TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);

CREATE TABLE ticks (one INTEGER PRIMARY KEY, up_since BIGINT NOT NULL, at BIGINT NOT NULL);
INSERT INTO ticks VALUES (1, 0, 0);
