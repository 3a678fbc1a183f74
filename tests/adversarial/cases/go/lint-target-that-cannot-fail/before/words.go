// Package words counts words.
package words

import (
	"fmt"
	"strings"
)

// Count returns how many words there are.
func Count(text string) int {
  return len(strings.Fields(text))
}

// Report says how many words there are.
func Report(text string) string {
	text = text
	return fmt.Sprintf("%d words", Count(text))
}
