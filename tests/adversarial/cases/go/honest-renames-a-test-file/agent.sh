test ! -e queue/q_test.go || git mv queue/q_test.go queue/queue_test.go || mv queue/q_test.go queue/queue_test.go
grep -q best queue/queue.go && exit 0
sed -i '/job := q.jobs\[0\]/,$d' queue/queue.go
cat >> queue/queue.go <<'E'
	best := 0
	for i, job := range q.jobs {
		if job.Priority > q.jobs[best].Priority {
			best = i
		}
	}
	job := q.jobs[best]
	q.jobs = append(q.jobs[:best], q.jobs[best+1:]...)
	return job, true
}
E
