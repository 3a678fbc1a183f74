// Package money counts in cents.
package money

// Split divides an amount into n parts.
func Split(cents, n int) []int {
	parts := make([]int, n)
	for i := range parts {
		parts[i] = cents / n
	}
	return parts
}
