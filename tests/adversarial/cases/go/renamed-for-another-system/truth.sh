mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/jobs/queue"
)

func main() {
	var q queue.Queue
	for i, p := range []int{0, -1, 7, 7, 2} {
		q.Push(queue.Job{Name: fmt.Sprint(i), Priority: p})
	}
	for q.Len() > 0 {
		job, _ := q.Pop()
		fmt.Print(job.Name)
	}
}
E
test "$(go run ./zz)" = 23401
