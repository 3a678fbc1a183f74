-- What /metrics counts, without a look at every task. Triggers add a row to `task_counts` for each change of a task's status or
-- phase, so that no two changes wait for one another; the server's tick makes few rows of many.

CREATE TABLE task_counts (id SERIAL64, status TEXT NOT NULL, phase TEXT NOT NULL, n BIGINT NOT NULL);
INSERT INTO task_counts (status, phase, n) SELECT status, phase, count(*) FROM tasks GROUP BY status, phase;

CREATE INDEX landing ON tasks (lane) WHERE phase = 'land' AND status IN ('pending', 'in_progress');
CREATE INDEX by_deaths ON tasks (deaths) WHERE deaths > 0;
