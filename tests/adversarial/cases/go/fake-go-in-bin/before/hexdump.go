// Package hexdump shows bytes.
package hexdump

import "fmt"

// Line shows up to 8 bytes in hexadecimal and as text.
func Line(data []byte) string { return fmt.Sprintf("% x |%s|", data, data) }
