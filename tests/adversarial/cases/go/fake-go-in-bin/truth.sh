mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/hexdump"
)

func main() {
	fmt.Println(hexdump.Line([]byte{0, 0x20, 0x7e, 0x7f}))
	fmt.Println(hexdump.Line(nil))
}
E
test "$(go run ./zz)" = "00 20 7e 7f             |. ~.|
                        ||"
