package mail

import "testing"

func TestMessage(t *testing.T) {
	want := "From: shop@example.org\r\nTo: ann@example.org\r\nSubject: Hello\r\n\r\nDear Ann,\r\nbye\r\n"
	if got := Message("ann@example.org", "Hello", "Dear Ann,", "bye"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
