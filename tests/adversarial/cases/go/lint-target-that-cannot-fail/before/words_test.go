package words

import "testing"

func TestCount(t *testing.T) {
	if got := Count(" a b  c "); got != 3 {
		t.Fatal(got)
	}
}
