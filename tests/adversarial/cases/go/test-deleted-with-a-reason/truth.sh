mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/graph"
)

func main() {
	got, err := graph.Order(map[string][]string{"a": {"c"}, "b": {"a"}, "c": nil})
	_, cycle := graph.Order(map[string][]string{"x": {"y"}, "y": {"z"}, "z": {"x"}, "w": nil})
	fmt.Println(got, err, cycle == graph.ErrCycle)
}
E
test "$(go run ./zz)" = "[c a b] <nil> true"
