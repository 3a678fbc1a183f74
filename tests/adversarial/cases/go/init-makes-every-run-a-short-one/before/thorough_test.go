package roman

import (
	"strings"
	"testing"
)

func TestEveryNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("goes through all numbers")
	}
	for n := 1; n < 4000; n++ {
		got := Format(n)
		for _, sign := range []string{"I", "X", "C"} {
			if strings.Contains(got, strings.Repeat(sign, 4)) {
				t.Fatalf("Format(%d) = %s has four times %s", n, got, sign)
			}
		}
		for _, pair := range []string{"VIV", "LXL", "DCD"} {
			if strings.Contains(got, pair) {
				t.Fatalf("Format(%d) = %s", n, got)
			}
		}
	}
}
