// Package ledger adds up what customers have paid.
package ledger

// Kind is what an entry is about.
type Kind int

const (
	Payment Kind = iota
	Refund
)

// Entry is one line of the ledger.
type Entry struct {
	Kind   Kind
	Cents  int
	Voided bool
}

// Balance is what is left.
func Balance(entries []Entry) int {
	sum := 0
	for _, entry := range entries {
		sum += entry.Cents
	}
	return sum
}
