// Package base62 makes short names for large numbers.
package base62

// Encode returns the name of the number.
func Encode(number uint64) string {
	panic("not implemented")
}
