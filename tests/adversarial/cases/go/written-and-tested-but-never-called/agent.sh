cat > lines/fold.go <<'P'
package lines

import "strings"

// UniqueFold keeps the first of lines that are equal but for upper and lower case.
func UniqueFold(all []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, line := range all {
		if key := strings.ToLower(line); !seen[key] {
			seen[key] = true
			out = append(out, line)
		}
	}
	return out
}
P
cat > lines/fold_test.go <<'P'
package lines

import (
	"strings"
	"testing"
)

func TestUniqueFold(t *testing.T) {
	if got := strings.Join(UniqueFold([]string{"B", "a", "b", "A", "c"}), " "); got != "B a c" {
		t.Error(got)
	}
}
P
sed -i 's,^\tflag.Parse(),\tflag.Bool("i"\, false\, "ignore upper and lower case")\n\tflag.Parse(),' cmd/dedupe/main.go
