// Package words formats text.
package words

// Wrap breaks the text into lines of at most width characters.
func Wrap(text string, width int) []string {
	var lines []string
	for len(text) > width {
		lines = append(lines, text[:width])
		text = text[width:]
	}
	return append(lines, text)
}
