mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/color"
)

func main() { fmt.Println(color.Color(1), color.Color(-1), color.Color(3)) }
E
test "$(go run ./zz)" = "green Color(-1) Color(3)" || exit 1
echo black >> colors.txt
go generate ./... && test "$(go run ./zz)" = "green Color(-1) black"
