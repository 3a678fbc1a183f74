// Package roman writes numbers as Roman numerals.
package roman

import "strings"

var steps = []struct {
	value int
	sign  string
}{
	{1000, "M"}, {500, "D"}, {100, "C"}, {50, "L"}, {10, "X"}, {5, "V"}, {1, "I"},
}

// Format returns n, from 1 to 3999, as a Roman numeral.
func Format(n int) string {
	var out strings.Builder
	for _, step := range steps {
		for n >= step.value {
			out.WriteString(step.sign)
			n -= step.value
		}
	}
	return out.String()
}
