-- What SQLite alone is asked. One writer: what is read here is not changed by anyone before the commit.

-- name: head
-- The first task of each queue, and of these the first.
SELECT t.id FROM queues q JOIN tasks t ON t.id = (
  SELECT id FROM tasks
  WHERE queue = q.id AND phase = :phase AND protocol <= :protocol
    AND holder = '' AND waits = 0 AND not_before = 0 AND status IN ('pending', 'in_progress')
  ORDER BY rank, priority, born, id LIMIT 1)
WHERE q.id $in(:queues)
  AND (:phase = 'work' OR NOT EXISTS (
    SELECT 1 FROM tasks h WHERE h.lane = q.lane AND h.phase = 'land' AND h.holder <> ''))
ORDER BY t.rank, t.priority, t.born, t.id LIMIT 1

-- name: take
UPDATE tasks
SET epoch = :epoch, holder = :worker, claim_key = :key, lease_until = $now + :lease, status = 'in_progress', saved = 0,
  vitals = '{}'
WHERE id = :id
RETURNING $task

-- name: last_epoch
SELECT last FROM epochs

-- name: save_epoch
UPDATE epochs SET last = :epoch

-- name: relay
INSERT INTO events (task, kind, body) SELECT task, kind, body FROM outbox ORDER BY id

-- name: empty_outbox
DELETE FROM outbox

-- name: move_events
UPDATE events SET seq = seq + :gap

-- name: skip_events
UPDATE sqlite_sequence SET seq = seq + :gap WHERE name = 'events'

-- name: begin_events
INSERT INTO sqlite_sequence (name, seq) VALUES ('events', :gap)
