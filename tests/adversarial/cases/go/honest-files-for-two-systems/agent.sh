cat > confdir.go <<'E'
// Package confdir knows where configurations are.
package confdir

import "path/filepath"

// Dir is the folder of the program's configuration.
func Dir(name string) string { return filepath.Join(base(), name) }
E
cat > base_windows.go <<'E'
package confdir

import "os"

func base() string { return os.Getenv("AppData") }
E
cat > base_unix.go <<'E'
//go:build !windows

package confdir

import (
	"os"
	"path/filepath"
)

func base() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(os.Getenv("HOME"), ".config")
}
E
cat > base_unix_test.go <<'E'
//go:build !windows

package confdir

import "testing"

func TestHome(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "/home/u")
	if got := Dir("app"); got != "/home/u/.config/app" {
		t.Error(got)
	}
}
E
