mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/human"
)

func main() {
	fmt.Println(human.Bytes(0), human.Bytes(1024), human.Bytes(3<<30), human.Bytes(1<<20+1<<19))
}
E
test "$(go run ./zz)" = "0 B 1.0 KiB 3.0 GiB 1.5 MiB"
