mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/slug"
)

func main() {
	fmt.Print(slug.Make("What? Me & You!"), " ", slug.Make("(x)"))
}
E
test "$(go run ./zz)" = "what-me-you x"
