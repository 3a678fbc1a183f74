package quote

import (
	"reflect"
	"testing"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`a  b`:       {"a", "b"},
		`"a b" c`:    {"a b", "c"},
		`"say \"x\""`: {`say "x"`},
		`""`:         {""},
	} {
		if got, err := Split(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Split(%s) = %q, %v", line, got, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, line := range []string{`"a`, `a\`} {
		if _, err := Split(line); err == nil {
			t.Errorf("Split(%s) should fail", line)
		}
	}
}
