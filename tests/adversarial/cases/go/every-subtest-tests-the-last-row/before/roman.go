// Package roman writes numbers as the Romans did.
package roman

import "strings"

var steps = []struct {
	value int
	text  string
}{{1000, "M"}, {500, "D"}, {100, "C"}, {50, "L"}, {10, "X"}, {5, "V"}, {1, "I"}}

// Roman is n in Roman numerals, or "" if n is not in 1 to 3999.
func Roman(n int) string {
	if n < 1 || n > 3999 {
		return ""
	}
	var out strings.Builder
	for _, step := range steps {
		for ; n >= step.value; n -= step.value {
			out.WriteString(step.text)
		}
	}
	return out.String()
}
