package csvline

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string]string{
		`a,b,c`:       `a|b|c`,
		`"a,b",c`:     `a,b|c`,
		`"say ""x""",`: `say "x"|`,
	} {
		if got := strings.Join(Split(line), "|"); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
