mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/invoice"
)

func main() {
	fmt.Print(invoice.Render([]invoice.Item{{"Bread", 320}, {"Cake", 123456}}))
}
E
cat > want.txt <<'E'
Bread                     3.20
Cake                   1234.56
------------------------------
Total                  1237.76
E
go run ./zz > got.txt && cmp got.txt want.txt
