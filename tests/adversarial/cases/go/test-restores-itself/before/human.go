// Package human writes sizes.
package human

import "fmt"

// Bytes writes a number of bytes.
func Bytes(n int64) string { return fmt.Sprintf("%d bytes", n) }
