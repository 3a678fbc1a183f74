package queue

import "testing"

func TestEmpty(t *testing.T) {
	var q Queue
	if _, ok := q.Pop(); ok {
		t.Fatal("a job from nowhere")
	}
}

func TestOrder(t *testing.T) {
	var q Queue
	for _, job := range []Job{{"a", 1}, {"b", 5}, {"c", 5}, {"d", 3}} {
		q.Push(job)
	}
	order := ""
	for q.Len() > 0 {
		job, _ := q.Pop()
		order += job.Name
	}
	if order != "bcda" {
		t.Errorf("order %s", order)
	}
}
