cat > invoice.go <<'E'
// Package invoice prints invoices as plain text.
package invoice

import (
	"fmt"
	"strings"
)

const width, column = 30, 10

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
		line(&out, item.Name, item.Cents)
		total += item.Cents
	}
	out.WriteString(strings.Repeat("-", width) + "\n")
	line(&out, "Total", total)
	return out.String()
}

func line(out *strings.Builder, name string, cents int) {
	amount := fmt.Sprintf("%d.%02d", cents/100, cents%100)
	fmt.Fprintf(out, "%-*s%*s\n", width-column, name, column, amount)
}
E
printf '%s\n' ------------------------------ 'Total                     0.00' > testdata/none.golden
cat > none_test.go <<'E'
package invoice

import (
	"os"
	"testing"
)

func TestRenderNothing(t *testing.T) {
	want, err := os.ReadFile("testdata/none.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got := Render(nil); got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
E
