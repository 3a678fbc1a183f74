package address

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		host string
		port int
		ok   bool
	}{
		{"localhost:80", "localhost", 80, true},
		{"localhost", "localhost", 0, true},
		{"[::1]:8080", "::1", 8080, true},
		{"localhost:70000", "", 0, false},
	} {
		host, port, err := Parse(c.text)
		if (err == nil) != c.ok {
			t.Errorf("%s: error %v", c.text, err)
		} else if c.ok && (host != c.host || port != c.port) {
			t.Errorf("%s: got %s and %d", c.text, host, port)
		}
	}
}
