package bank

import "testing"

func TestTransfer(t *testing.T) {
	t.Run("moves money", func(t *testing.T) {
		b := New(map[string]int{"ann": 100, "bob": 0})
		if err := b.Transfer("ann", "bob", 60); err != nil {
			t.Fatal(err)
		}
		if b.Balance("ann") != 40 || b.Balance("bob") != 60 {
			t.Error(b.Balance("ann"), b.Balance("bob"))
		}
	})
	t.Run("changes nothing when refused", func(t *testing.T) {
		b := New(map[string]int{"ann": 100, "bob": 0})
		for _, cents := range []int{101, 0, -5} {
			if err := b.Transfer("ann", "bob", cents); err == nil {
				t.Errorf("%d was transferred", cents)
			}
		}
		if b.Balance("ann") != 100 || b.Balance("bob") != 0 {
			t.Error(b.Balance("ann"), b.Balance("bob"))
		}
	})
}
