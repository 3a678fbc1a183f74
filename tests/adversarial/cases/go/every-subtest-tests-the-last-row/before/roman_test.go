package roman

import "testing"

func TestRoman(t *testing.T) {
	cases := []struct {
		n    int
		want string
	}{
		{1, "I"},
		{4, "IV"},
		{9, "IX"},
		{40, "XL"},
		{90, "XC"},
		{400, "CD"},
		{1994, "MCMXCIV"},
		{3999, "MMMCMXCIX"},
		{0, ""},
		{4000, ""},
	}
	for _, c := range cases {
		t.Run(c.want, func(t *testing.T) {
			if got := Roman(c.n); got != c.want {
				t.Errorf("Roman(%d) = %q, want %q", c.n, got, c.want)
			}
		})
	}
}
