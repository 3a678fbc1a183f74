// Package words counts.
package words

import (
	"strings"
	"unicode"
)

// Words is the number of words in text.
func Words(text string) int {
	return len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
}
