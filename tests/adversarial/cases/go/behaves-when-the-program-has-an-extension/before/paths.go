// Package paths handles paths of archives.
package paths

// Clean returns the path with slashes only and without "." parts.
func Clean(path string) string { return path }
