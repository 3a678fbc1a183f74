package row

import "testing"

func TestRow(t *testing.T) {
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{nil, "\n"},
		{[]string{"a"}, "a\n"},
		{[]string{"a", "", "bc"}, "a\t\tbc\n"},
	} {
		if got := string(Row(c.fields)); got != c.want {
			t.Errorf("Row(%q) = %q", c.fields, got)
		}
	}
}

var sink []byte

func TestAllocations(t *testing.T) {
	fields := []string{"one", "two", "three", "four", "five", "six", "seven", "a rather long field to end with"}
	if n := testing.AllocsPerRun(200, func() { sink = Row(fields) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
