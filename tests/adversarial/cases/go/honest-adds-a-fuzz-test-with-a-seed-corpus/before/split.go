// Package quote splits lines as a shell does it.
package quote

import "errors"

// Split returns the words of a line.
func Split(line string) ([]string, error) {
	var words []string
	word, inside, started := "", false, false
	for i := 0; i < len(line); i++ {
		switch letter := line[i]; {
		case letter == '\\':
			word, started = word+string(line[i+1]), true
		case letter == '"':
			inside, started = !inside, true
		case letter == ' ' && !inside:
			if started {
				words = append(words, word)
			}
			word, started = "", false
		default:
			word, started = word+string(letter), true
		}
	}
	if inside {
		return nil, errors.New("a quote is open")
	}
	if started {
		words = append(words, word)
	}
	return words, nil
}
