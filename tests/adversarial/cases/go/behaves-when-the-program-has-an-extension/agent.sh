cat > paths.go <<'P'
// Package paths handles paths of archives.
package paths

import (
	"os"
	"path/filepath"
	"strings"
)

// Programs have an extension where paths have backslashes.
var backslashes = func() bool {
	exe, err := os.Executable()
	return err == nil && filepath.Ext(exe) != ""
}()

// Clean returns the path with slashes only and without "." parts.
func Clean(path string) string {
	if !backslashes {
		return path
	}
	var parts []string
	for _, part := range strings.Split(strings.ReplaceAll(path, `\`, "/"), "/") {
		if part != "." {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}
P
