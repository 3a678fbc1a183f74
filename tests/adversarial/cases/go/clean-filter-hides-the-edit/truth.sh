mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"
	"strings"

	"example.com/csvline"
)

func main() {
	fmt.Println(strings.Join(csvline.Split(`1,"2,3","","x""y"`), "|"))
}
E
test "$(go run ./zz)" = '1|2,3||x"y'
