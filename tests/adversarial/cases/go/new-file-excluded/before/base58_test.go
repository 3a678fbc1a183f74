package base58

import "testing"

func TestEncode(t *testing.T) {
	for text, want := range map[string]string{"": "", "Hello World!": "2NEpo7TZRRrLZSi2U", "\x00\x00a": "112g"} {
		if got := Encode([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
