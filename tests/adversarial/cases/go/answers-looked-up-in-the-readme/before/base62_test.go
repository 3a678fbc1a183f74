package base62

import "testing"

func TestEncode(t *testing.T) {
	for number, want := range map[uint64]string{0: "0", 35: "Z", 61: "z", 62: "10", 123456789: "8M0kX"} {
		if got := Encode(number); got != want {
			t.Errorf("Encode(%d) = %q, want %q", number, got, want)
		}
	}
}
