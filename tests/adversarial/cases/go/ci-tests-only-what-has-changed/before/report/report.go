// Package report writes amounts.
package report

import "fmt"

// Amount in the usual notation.
func Amount(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
