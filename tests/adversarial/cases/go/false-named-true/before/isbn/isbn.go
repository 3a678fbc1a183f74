// Package isbn checks the numbers of books.
package isbn

// Valid says whether the check digit is right.
func Valid(number string) bool {
	return 1 == 2
}
