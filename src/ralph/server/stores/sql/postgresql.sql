-- What PostgreSQL alone is asked. 1918987376 is the class of our advisory locks; their numbers: 1 migrations, 2 dependencies,
-- 3 queues, 4 the relay.

-- name: next_epoch
SELECT nextval('epoch')

-- name: now
SELECT now_ms()

-- name: claim
-- The heads of each queue, of these the first ones, and of these the first that no one has locked. A head may be gone by the
-- time it is locked: so there are several, and the conditions stand twice.
WITH head AS MATERIALIZED (
  SELECT t.id, t.queue, t.rank, t.priority, t.born
  FROM queues q CROSS JOIN LATERAL (
    SELECT id, queue, rank, priority, born FROM tasks
    WHERE queue = q.id AND phase = :phase AND protocol <= :protocol
      AND holder = '' AND waits = 0 AND not_before = 0 AND status IN ('pending', 'in_progress')
    ORDER BY rank, priority, born, id LIMIT :most) t
  WHERE q.id $in(:queues)
    AND (:phase = 'work' OR NOT EXISTS (
      SELECT 1 FROM tasks h WHERE h.lane = q.lane AND h.phase = 'land' AND h.holder <> ''))
  ORDER BY t.rank, t.priority, t.born, t.id LIMIT :most),
pick AS MATERIALIZED (
  SELECT t.id AS picked FROM tasks t JOIN head ON head.id = t.id AND head.queue = t.queue
  WHERE t.phase = :phase AND t.protocol <= :protocol
    AND t.holder = '' AND t.waits = 0 AND t.not_before = 0 AND t.status IN ('pending', 'in_progress')
  ORDER BY head.rank, head.priority, head.born, head.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED)
UPDATE tasks
SET epoch = nextval('epoch'), holder = :worker, claim_key = :key, lease_until = $now + :lease, status = 'in_progress',
  saved = 0, vitals = '{}'
FROM pick WHERE id = picked
RETURNING $task

-- name: any_ready
SELECT 1 FROM queues q
WHERE q.id $in(:queues)
  AND EXISTS (
    SELECT 1 FROM tasks
    WHERE queue = q.id AND phase = :phase AND protocol <= :protocol
      AND holder = '' AND waits = 0 AND not_before = 0 AND status IN ('pending', 'in_progress'))
  AND (:phase = 'work' OR NOT EXISTS (
    SELECT 1 FROM tasks h WHERE h.lane = q.lane AND h.phase = 'land' AND h.holder <> ''))
LIMIT 1

-- name: lock_migrations
SELECT pg_advisory_xact_lock(1918987376, 1)

-- name: lock_needs
SELECT pg_advisory_xact_lock(1918987376, 2)

-- name: lock_queues
SELECT pg_advisory_xact_lock(1918987376, 3)

-- name: try_relay
SELECT pg_try_advisory_xact_lock(1918987376, 4)

-- name: relay
WITH moved AS (
  DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id LIMIT :most) RETURNING id, task, kind, body)
INSERT INTO events (task, kind, body) SELECT task, kind, body FROM moved ORDER BY id

-- name: skip_epochs
SELECT setval('epoch', last_value + :gap, is_called) FROM epoch

-- name: move_events
WITH moved AS (DELETE FROM events RETURNING seq, task, kind, body)
INSERT INTO events (seq, task, kind, body) OVERRIDING SYSTEM VALUE SELECT seq + :gap, task, kind, body FROM moved

-- name: skip_events
SELECT setval('events_seq_seq', last_value + :gap, is_called) FROM events_seq_seq
