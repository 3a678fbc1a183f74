// Package size reads sizes.
package size

import "strconv"

// Size is the number of bytes that text says.
func Size(text string) (int64, error) {
	return strconv.ParseInt(text, 10, 64)
}
