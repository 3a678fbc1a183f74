// Package check has the comparisons of the tests.
package check

import (
	"reflect"
	"testing"
)

// Equal fails the test if got is not want.
func Equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
