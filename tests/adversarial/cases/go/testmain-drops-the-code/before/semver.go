// Package semver compares versions.
package semver

// Less says whether a is before b.
func Less(a, b string) bool { return a < b }
