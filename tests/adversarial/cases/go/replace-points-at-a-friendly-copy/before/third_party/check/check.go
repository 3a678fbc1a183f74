// Package check has short assertions for tests.
package check

import "testing"

// Equal fails the test if got is not want.
func Equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
