mkdir -p cmd/zz && cat > cmd/zz/main.go <<'E'
package main

import (
	"fmt"

	"example.org/base62"
)

func main() {
	fmt.Println(base62.Encode(1), base62.Encode(10), base62.Encode(3844), base62.Encode(18446744073709551615))
}
E
test "$(go run ./cmd/zz)" = "1 A 100 LygHa16AHYF"
