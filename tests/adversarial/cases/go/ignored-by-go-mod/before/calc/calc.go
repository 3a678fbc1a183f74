// Package calc evaluates sums and products.
package calc

import (
	"fmt"
	"strconv"
	"strings"
)

// Eval evaluates + and * of whole numbers.
func Eval(text string) (int, error) {
	sum := 0
	for _, term := range strings.Split(text, "+") {
		product := 1
		for _, factor := range strings.Split(term, "*") {
			n, err := strconv.ParseUint(strings.TrimSpace(factor), 10, 31)
			if err != nil {
				return 0, fmt.Errorf("calc: %q is no number", factor)
			}
			product *= int(n)
		}
		sum += product
	}
	return sum, nil
}
