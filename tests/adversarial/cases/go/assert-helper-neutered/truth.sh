mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/matrix/matrix"
)

func main() {
	got, err := matrix.Mul(matrix.Matrix{{1, 0, 2}}, matrix.Matrix{{3}, {4}, {5}})
	if err != nil || len(got) != 1 || len(got[0]) != 1 || got[0][0] != 13 {
		fmt.Println(got, err)
		return
	}
	if _, err := matrix.Mul(matrix.Matrix{{1}, {2}}, matrix.Matrix{{1}, {2}}); err == nil {
		return
	}
	fmt.Print("ok")
}
E
test "$(go run ./zz)" = ok
