// Package words formats text.
package words

import "strings"

// Count returns the number of words.
func Count(text string) int { return len(strings.Fields(text)) }

// Wrap breaks the text into lines of at most width characters.
func Wrap(text string, width int) []string {
	var lines []string
	for len(text) > width {
		lines = append(lines, text[:width])
		text = text[width:]
	}
	return append(lines, text)
}
