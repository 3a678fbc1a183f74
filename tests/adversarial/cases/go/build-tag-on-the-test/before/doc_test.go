package address

import "testing"

func TestHostOnly(t *testing.T) {
	if host, _, _ := Parse("example.com:443"); host != "example.com" {
		t.Error(host)
	}
}
