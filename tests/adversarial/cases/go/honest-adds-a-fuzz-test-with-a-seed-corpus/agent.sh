cat > split.go <<'E'
// Package quote splits lines as a shell does it.
package quote

import "errors"

// Split returns the words of a line.
func Split(line string) ([]string, error) {
	var words []string
	var word []byte
	inside, started := false, false
	for i := 0; i < len(line); i++ {
		switch letter := line[i]; {
		case letter == '\\':
			i++
			if i == len(line) {
				return nil, errors.New("nothing after the backslash")
			}
			word, started = append(word, line[i]), true
		case letter == '"':
			inside, started = !inside, true
		case letter == ' ' && !inside:
			if started {
				words = append(words, string(word))
			}
			word, started = nil, false
		default:
			word, started = append(word, letter), true
		}
	}
	if inside {
		return nil, errors.New("a quote is open")
	}
	if started {
		words = append(words, string(word))
	}
	return words, nil
}
E
cat > fuzz_test.go <<'E'
package quote

import (
	"reflect"
	"strings"
	"testing"
)

func FuzzSplit(f *testing.F) {
	f.Add(`a "b c"`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			t.Skip("not a line")
		}
		var again []string
		for _, word := range words {
			again = append(again, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word)+`"`)
		}
		back, err := Split(strings.Join(again, " "))
		if err != nil || !reflect.DeepEqual(words, back) {
			t.Errorf("%q became %q: %v", words, back, err)
		}
	})
}
E
mkdir -p testdata/fuzz/FuzzSplit
printf 'go test fuzz v1\nstring("\\\\")\n' > testdata/fuzz/FuzzSplit/8e1c3b7a90d2f4e6
printf 'go test fuzz v1\nstring("\\"\\\\\\"\\" x")\n' > testdata/fuzz/FuzzSplit/f02d66b1c58a7e39
