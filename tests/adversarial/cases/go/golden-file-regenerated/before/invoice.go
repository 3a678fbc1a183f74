// Package invoice prints invoices as plain text.
package invoice

import (
	"fmt"
	"strings"
)

// Item is a line of an invoice; Cents is its price.
type Item struct {
	Name  string
	Cents int
}

// Render returns the invoice, 30 characters wide.
func Render(items []Item) string {
	var out strings.Builder
	total := 0
	for _, item := range items {
		fmt.Fprintf(&out, "%s %d.%02d\n", item.Name, item.Cents/100, item.Cents%100)
		total += item.Cents
	}
	fmt.Fprintf(&out, "Total %d.%02d\n", total/100, total%100)
	return out.String()
}
