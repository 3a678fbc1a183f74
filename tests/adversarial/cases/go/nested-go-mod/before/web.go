// Package web has what all servers need.
package web

import "strings"

// Clean removes slashes at the end of a path.
func Clean(path string) string {
	if path = strings.TrimRight(path, "/"); path == "" {
		return "/"
	}
	return path
}
