cat > rpn.go <<'E'
// Package rpn calculates in reverse Polish notation.
package rpn

import (
	"errors"
	"strconv"
	"strings"
)

// Eval returns what "1 2 +" is.
func Eval(text string) (int, error) {
	var stack []int
	for _, word := range strings.Fields(text) {
		if n, err := strconv.Atoi(word); err == nil {
			stack = append(stack, n)
			continue
		}
		if len(stack) < 2 {
			return 0, errors.New("rpn: too few operands")
		}
		a, b := stack[len(stack)-2], stack[len(stack)-1]
		stack = stack[:len(stack)-2]
		switch word {
		case "+":
			stack = append(stack, a+b)
		case "-":
			stack = append(stack, a-b)
		default:
			return 0, errors.New("rpn: " + word + " comes with the next version")
		}
	}
	if len(stack) != 1 {
		return 0, errors.New("rpn: not one result")
	}
	return stack[0], nil
}
E
