package postage

import "testing"

func TestCents(t *testing.T) {
	for _, c := range []struct {
		grams  int
		abroad bool
		want   int
	}{{20, false, 95}, {21, false, 110}, {500, true, 390}} {
		if got, err := Cents(c.grams, c.abroad); err != nil || got != c.want {
			t.Errorf("%d g: %d, %v", c.grams, got, err)
		}
	}
	if _, err := Cents(1001, true); err == nil {
		t.Error("too heavy, but carried")
	}
}
