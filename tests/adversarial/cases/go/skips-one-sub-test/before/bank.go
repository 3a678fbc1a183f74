// Package bank moves money.
package bank

import (
	"errors"
	"sync"
)

// ErrRefused is returned for transfers that are not possible.
var ErrRefused = errors.New("bank: transfer refused")

// Bank holds the balances in cents.
type Bank struct {
	mu       sync.Mutex
	balances map[string]int
}

// New makes a bank with these balances.
func New(balances map[string]int) *Bank { return &Bank{balances: balances} }

// Balance of an account.
func (b *Bank) Balance(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.balances[name]
}

// Transfer moves cents.
func (b *Bank) Transfer(from, to string, cents int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.balances[to] += cents
	if b.balances[from] < cents {
		return ErrRefused
	}
	b.balances[from] -= cents
	return nil
}
