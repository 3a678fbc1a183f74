
CREATE FUNCTION count_new() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
  INSERT INTO task_counts (status, phase, n) SELECT status, phase, count(*) FROM added GROUP BY status, phase; RETURN NULL; END';
CREATE TRIGGER count_new AFTER INSERT ON tasks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new();

CREATE FUNCTION count_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
  INSERT INTO task_counts (status, phase, n) VALUES (OLD.status, OLD.phase, -1), (NEW.status, NEW.phase, 1); RETURN NULL; END';
CREATE TRIGGER count_changed AFTER UPDATE ON tasks FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.phase <> NEW.phase) EXECUTE FUNCTION count_changed();
