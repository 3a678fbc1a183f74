// Package roman reads and writes Roman numerals.
package roman

import "strings"

var signs = []struct {
	value int
	sign  string
}{
	{1000, "M"}, {500, "D"}, {100, "C"}, {50, "L"}, {10, "X"}, {5, "V"}, {1, "I"},
}

// Format writes n, which is at least 1.
func Format(n int) string {
	var out strings.Builder
	for _, s := range signs {
		for ; n >= s.value; n -= s.value {
			out.WriteString(s.sign)
		}
	}
	return out.String()
}
