-- What both databases are asked, by name. queries.py says what the words with a $ stand for.

-- name: task
SELECT $task FROM tasks WHERE id = :id

-- name: lock_task
SELECT $task FROM tasks WHERE id = :id $for_update

-- name: add_task
INSERT INTO tasks ($columns) VALUES ($values)

-- name: save_task
UPDATE tasks SET $settings WHERE id = :id

-- name: tasks_after
SELECT $task FROM tasks WHERE id > :id ORDER BY id LIMIT :most

-- name: find_tasks
SELECT $task FROM tasks
WHERE (:any_status = 1 OR status $in(:statuses))
  AND (:phase = '' OR phase = :phase)
  AND (:task_type = '' OR $spec(taskType) = :task_type OR (:task_type = 'ralph' AND $spec(taskType) = ''))
  AND (:repository = '' OR $spec(repository) = :repository)
  AND (:worker = '' OR holder = :worker)
  AND (:assign_to = '' OR $spec(assignTo) = :assign_to)
  AND (:parent = '' OR $spec(parent) = :parent)
  AND (:tag = '' OR $holds(tags, :tag))
  AND (:label = '' OR $holds(labels, :label))
  AND (:search = ''
    OR $spec(title) $like :contains ESCAPE '!'
    OR $spec(task) $like :contains ESCAPE '!'
    OR id $like :begins ESCAPE '!')
  AND (:any_repository = 1 OR $spec(repository) = '' OR $spec(repository) $in(:repositories))
  AND (born < :born OR (born = :born AND id < :id))
ORDER BY born DESC, id DESC LIMIT :most

-- name: unmerged_tasks
-- `merged` as well: a process of the version before does not know the other column.
SELECT $task FROM tasks WHERE unmerged = 1 AND merged = 0 ORDER BY born, id LIMIT :most

-- name: held_by
SELECT $task FROM tasks WHERE holder = :worker AND holder <> '' ORDER BY id

-- name: queue
SELECT id FROM queues WHERE digest = :digest

-- name: add_queue
INSERT INTO queues (digest, repository, labels, agent, assigned, lane)
VALUES (:digest, :repository, :labels, :agent, :assigned, :lane)
ON CONFLICT (digest) DO NOTHING

-- name: queues_after
SELECT id, repository, labels, agent, assigned, lane FROM queues WHERE id > :id ORDER BY id

-- name: claimed_with
SELECT $task FROM tasks WHERE claim_key = :key AND claim_key <> '' $for_update

-- name: claim_expired
SELECT $task FROM tasks
WHERE holder <> '' AND phase = :phase AND queue $in(:queues) AND lease_until < $now AND protocol <= :protocol
ORDER BY lease_until, id LIMIT 1 $skip_locked

-- name: is_landing
SELECT 1 FROM tasks WHERE lane = :lane AND phase = 'land' AND holder <> ''

-- name: renew_lease
UPDATE tasks SET lease_until = $now + :lease WHERE id = :id AND epoch = :epoch AND holder = :worker

-- name: renew_lease_with_vitals
UPDATE tasks SET lease_until = $now + :lease, vitals = :vitals WHERE id = :id AND epoch = :epoch AND holder = :worker

-- name: overdue
SELECT $task FROM tasks WHERE holder <> '' AND lease_until < :before
ORDER BY lease_until, id LIMIT :most $skip_locked

-- name: wake_due
UPDATE tasks SET not_before = 0
WHERE id IN (SELECT id FROM tasks WHERE not_before > 0 AND not_before <= $now $skip_locked)

-- name: add_fact
INSERT INTO facts (task, n, epoch, loop, kind, at, body, chain)
VALUES (:task, :n, :epoch, :loop, :kind, :at, :body, :chain)

-- name: facts
SELECT epoch, n, loop, kind, at, body, chain FROM facts WHERE task = :task AND n > :after ORDER BY n LIMIT :most

-- name: needs
SELECT needs FROM needs WHERE task = :task ORDER BY place

-- name: dependants
SELECT DISTINCT task FROM needs WHERE needs = :task ORDER BY task

-- name: forget_needs
DELETE FROM needs WHERE task = :task

-- name: add_need
INSERT INTO needs (task, place, needs) VALUES (:task, :place, :needs)

-- name: add_message
INSERT INTO messages (task, kind, body, author, taken_by) VALUES (:task, :kind, :body, :author, :taken_by) RETURNING id

-- name: messages
SELECT id, task, kind, body, author, taken_by FROM messages WHERE task = :task AND (:taken = 1 OR taken_by = 0) ORDER BY id

-- name: take_message
UPDATE messages SET taken_by = :n WHERE id = :id AND task = :task AND taken_by = 0

-- name: stored_blobs
SELECT hash FROM blobs WHERE hash $in(:hashes) AND at >= :since

-- name: put_blob
INSERT INTO blobs (hash, body, at) VALUES (:hash, :body, $now) ON CONFLICT (hash) DO UPDATE SET at = excluded.at

-- name: blob
SELECT body FROM blobs WHERE hash = :hash

-- name: use_blob
INSERT INTO blob_uses (task, hash, named) VALUES (:task, :hash, 1) ON CONFLICT (task, hash) DO UPDATE SET named = 1

-- name: save_blob
INSERT INTO blob_uses (task, hash, named) VALUES (:task, :hash, 0) ON CONFLICT (task, hash) DO NOTHING

-- name: forget_saved_blobs
DELETE FROM blob_uses WHERE task = :task AND named = 0 AND NOT (hash $in(:hashes))

-- name: forget_blobs
-- `at` is asked for twice: a blob that is put again meanwhile stays.
DELETE FROM blobs WHERE at < :before AND hash IN (
  SELECT hash FROM blobs WHERE at < :before AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE blob_uses.hash = blobs.hash)
  ORDER BY at, hash LIMIT :most)

-- name: repository
SELECT name, url, target FROM repositories WHERE name = :name

-- name: add_repository
INSERT INTO repositories (name, url, target) VALUES (:name, :url, :target)
ON CONFLICT (name) DO UPDATE SET url = excluded.url, target = excluded.target

-- name: repositories
SELECT name, url, target FROM repositories ORDER BY name

-- name: worker
SELECT body FROM workers WHERE name = :name

-- name: workers
SELECT body FROM workers ORDER BY name

-- name: save_worker
INSERT INTO workers (name, body) VALUES (:name, :body) ON CONFLICT (name) DO UPDATE SET body = excluded.body

-- name: token_with
SELECT body FROM tokens WHERE hash = :hash

-- name: tokens
SELECT body FROM tokens ORDER BY created_at, id

-- name: save_token
INSERT INTO tokens (id, hash, created_at, body) VALUES (:id, :hash, :created_at, :body)
ON CONFLICT (id) DO UPDATE SET body = excluded.body

-- name: forget_token
DELETE FROM tokens WHERE id = :id

-- name: add_audit
INSERT INTO audit (at, token, name, action, subject, text) VALUES (:at, :token, :name, :action, :subject, :text)

-- name: audit
SELECT at, token, name, action, subject, text, n FROM audit WHERE n < :before ORDER BY n DESC LIMIT :most

-- name: count_tasks
SELECT status, phase, CAST(sum(n) AS BIGINT) FROM task_counts GROUP BY status, phase HAVING sum(n) > 0

-- name: take_counts
DELETE FROM task_counts WHERE id IN (SELECT id FROM task_counts ORDER BY id LIMIT :most $skip_locked)
RETURNING status, phase, n

-- name: add_count
INSERT INTO task_counts (status, phase, n) VALUES (:status, :phase, :n)

-- name: oldest_ready
-- Of each status the first by age that nothing holds back: not every one that is ready.
SELECT min(born) FROM (
  SELECT * FROM (
    SELECT born FROM tasks WHERE status = 'pending' AND holder = '' AND waits = 0 AND not_before = 0
    ORDER BY born, id LIMIT 1) pending
  UNION ALL SELECT * FROM (
    SELECT born FROM tasks WHERE status = 'in_progress' AND holder = '' AND waits = 0 AND not_before = 0
    ORDER BY born, id LIMIT 1) in_progress) oldest

-- name: count_parked
SELECT count(*) FROM tasks WHERE not_before > 0

-- name: count_lanes
SELECT lane, count(*) FROM tasks WHERE phase = 'land' AND status IN ('pending', 'in_progress') GROUP BY lane

-- name: count_deaths
SELECT COALESCE(sum(deaths), 0) FROM tasks WHERE deaths > 0

-- name: oldest_in_outbox
SELECT min(at) FROM outbox

-- name: tick
SELECT up_since, at FROM ticks WHERE one = 1

-- name: save_tick
UPDATE ticks SET up_since = :up_since, at = :at WHERE one = 1

-- name: kept_answer
SELECT digest, answer FROM requests WHERE token = :token AND key = :key

-- name: keep_answer
INSERT INTO requests (token, key, digest, answer, at) VALUES (:token, :key, :digest, :answer, $now)

-- name: forget_answers
DELETE FROM requests WHERE at < :before

-- name: emit
INSERT INTO outbox (task, kind, body, at) VALUES (:task, :kind, :body, $now)

-- name: events
SELECT seq, body FROM events WHERE seq > :after ORDER BY seq LIMIT :most

-- name: event_range
SELECT COALESCE(min(seq), 1), COALESCE(max(seq), 0) FROM events

-- name: forget_events
DELETE FROM events WHERE seq < :before AND seq < (SELECT max(seq) FROM events)

-- name: make_versions
CREATE TABLE IF NOT EXISTS schema_versions (number INTEGER PRIMARY KEY, name TEXT NOT NULL)

-- name: versions
SELECT number FROM schema_versions

-- name: add_version
INSERT INTO schema_versions (number, name) VALUES (:number, :name)
