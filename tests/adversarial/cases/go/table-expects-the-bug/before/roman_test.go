package roman

import "testing"

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{
		{1, "I"},
		{4, "IV"},
		{6, "VI"},
		{9, "IX"},
		{44, "XLIV"},
		{2023, "MMXXIII"},
	} {
		if got := Format(c.n); got != c.want {
			t.Errorf("Format(%d) = %q, want %q", c.n, got, c.want)
		}
	}
}
