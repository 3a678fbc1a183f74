mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/routes"
)

func main() {
	fmt.Print(routes.Count(3, 2), routes.Count(18, 18), routes.Count(0, 5))
}
E
go build -o "$TMPDIR/zz" ./zz && test "$(timeout 5 "$TMPDIR/zz")" = "10 9075135300 1"
