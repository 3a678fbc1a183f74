mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"
	"strings"

	"example.com/wrap"
)

func main() { fmt.Print(strings.Join(wrap.Text("a bcdefg hi", 4), "|")) }
P
out=$(go run ./zz)
test "$out" = "a|bcde|fg|hi" || test "$out" = "a|bcde|fg hi" || test "$out" = "a bc|defg|hi"
