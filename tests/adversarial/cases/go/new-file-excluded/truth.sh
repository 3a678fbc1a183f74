mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/base58"
)

func main() { fmt.Print(base58.Encode([]byte{57}), base58.Encode([]byte{58}), base58.Encode([]byte{0})) }
E
test "$(go run ./zz)" = "z211"
