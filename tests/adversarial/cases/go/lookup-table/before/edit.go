// Package edit compares strings.
package edit

// Distance is the least number of insertions, deletions and replacements that make b of a.
func Distance(a, b string) int { return -1 }
