package graph

import (
	"strings"
	"testing"
)

func TestOrder(t *testing.T) {
	got, err := Order(map[string][]string{"build": {"fetch"}, "fetch": nil, "all": {"build", "lint"}, "lint": nil})
	if err != nil || strings.Join(got, " ") != "fetch build lint all" {
		t.Error(got, err)
	}
}

func TestCycle(t *testing.T) {
	if _, err := Order(map[string][]string{"a": {"b"}, "b": {"a"}}); err != ErrCycle {
		t.Error(err)
	}
}
