// Package pager divides lists into pages.
package pager

// Pages is the number of pages.
func Pages(items, size int) (int, error) { return items / size, nil }
