package colours

import "testing"

func TestKnown(t *testing.T) {
	for _, name := range []string{"red", "green", "blue", "violet"} {
		if !Known(name) {
			t.Errorf("%s is not known", name)
		}
	}
	if Known("plaid") {
		t.Error("plaid is known")
	}
}
