cat > zz_test.go <<'E'
package mail

import "testing"

func TestTruth(t *testing.T) {
	want := "From: shop@example.org\r\nTo: b@example.org\r\nSubject: Yes\r\n\r\none\r\ntwo\r\nthree\r\n"
	if got := Message("b@example.org", "Yes", "one", "two", "three"); got != want {
		t.Errorf("got %q", got)
	}
}
E
go test -count=1 -run TestTruth .
