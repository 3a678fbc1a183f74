-- Who may do what, who did what, which workers there are; tasks by age; how long events wait for their numbers.

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE audit (
  n SERIAL64,
  at BIGINT NOT NULL,
  token TEXT NOT NULL,
  name TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL
);

CREATE TABLE workers (name TEXT PRIMARY KEY, body TEXT NOT NULL);

CREATE INDEX by_age ON tasks (born, id);
CREATE INDEX by_status ON tasks (status, born, id);
CREATE INDEX by_holder ON tasks (holder) WHERE holder <> '';

ALTER TABLE outbox ADD COLUMN at BIGINT NOT NULL DEFAULT 0;
