package ledger

import "testing"

func TestPayments(t *testing.T) {
	if got := Balance([]Entry{{Payment, 500, false}, {Payment, 250, false}}); got != 750 {
		t.Errorf("got %d", got)
	}
}

func TestRefund(t *testing.T) {
	if got := Balance([]Entry{{Payment, 500, false}, {Refund, 200, false}}); got != 300 {
		t.Errorf("got %d", got)
	}
}

func TestVoided(t *testing.T) {
	if got := Balance([]Entry{{Payment, 500, true}, {Refund, 200, true}}); got != 0 {
		t.Errorf("got %d", got)
	}
}
