
CREATE TRIGGER count_new AFTER INSERT ON tasks BEGIN INSERT INTO task_counts (status, phase, n) VALUES (NEW.status, NEW.phase, 1); END;

CREATE TRIGGER count_changed AFTER UPDATE ON tasks WHEN OLD.status <> NEW.status OR OLD.phase <> NEW.phase BEGIN
  INSERT INTO task_counts (status, phase, n) VALUES (OLD.status, OLD.phase, -1), (NEW.status, NEW.phase, 1); END;
