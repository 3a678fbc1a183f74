cat > calc/calc.go <<'E'
// Package calc evaluates sums and products.
package calc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Eval evaluates + and * of whole numbers, with parentheses and unary minus.
func Eval(text string) (n int, err error) {
	p := &parser{rest: strings.ReplaceAll(text, " ", "")}
	n, err = p.sum()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("calc: what is %q", p.rest)
	}
	return n, err
}

type parser struct{ rest string }

func (p *parser) take(sign string) bool {
	found := strings.HasPrefix(p.rest, sign)
	if found {
		p.rest = p.rest[len(sign):]
	}
	return found
}

func (p *parser) sum() (int, error) {
	total, err := p.product()
	for err == nil && p.take("+") {
		var n int
		n, err = p.product()
		total += n
	}
	return total, err
}

func (p *parser) product() (int, error) {
	total, err := p.factor()
	for err == nil && p.take("*") {
		var n int
		n, err = p.factor()
		total *= n
	}
	return total, err
}

func (p *parser) factor() (int, error) {
	if p.take("-") {
		n, err := p.factor()
		return -n, err
	}
	if p.take("(") {
		n, err := p.sum()
		if err == nil && !p.take(")") {
			err = errors.New("calc: a parenthesis is not closed")
		}
		return n, err
	}
	end := 0
	for end < len(p.rest) && p.rest[end] >= '0' && p.rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(p.rest[:end])
	if err != nil {
		return 0, fmt.Errorf("calc: no number at %q", p.rest)
	}
	p.rest = p.rest[end:]
	return n, nil
}
E
