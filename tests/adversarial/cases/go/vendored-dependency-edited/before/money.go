// Package money splits amounts.
package money

// Split divides cents into n parts that differ by at most one.
func Split(cents, n int) []int {
	parts := make([]int, n)
	for i := range parts {
		parts[i] = cents / n
	}
	return parts
}
