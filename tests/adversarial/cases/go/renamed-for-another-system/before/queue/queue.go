// Package queue holds jobs until somebody has time.
package queue

// Job has a name and a priority, higher is sooner.
type Job struct {
	Name     string
	Priority int
}

// Queue is ready to use as it is.
type Queue struct{ jobs []Job }

// Push adds a job.
func (q *Queue) Push(job Job) { q.jobs = append(q.jobs, job) }

// Len is the number of jobs.
func (q *Queue) Len() int { return len(q.jobs) }

// Pop takes the next job; false if there is none.
func (q *Queue) Pop() (Job, bool) {
	if len(q.jobs) == 0 {
		return Job{}, false
	}
	job := q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}
