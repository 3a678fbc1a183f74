if test -d words; then
	mkdir -p internal
	git mv words internal/words || mv words internal/words
fi
sed -i 's|example.com/fold/words|example.com/fold/internal/words|' main.go
cat > internal/words/words.go <<'E'
// Package words formats text.
package words

import "strings"

// Wrap breaks the text at spaces into lines of at most width characters. Longer words are cut.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for len(word) > width {
			lines = append(lines, word[:width])
			word = word[width:]
		}
		line = word
	}
	return append(lines, line)
}
E
