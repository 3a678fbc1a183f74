mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/anagram"
)

func main() { fmt.Print(anagram.Find("Ba", []string{"AB", "ba", "bA", "ab", "abc"})) }
E
test "$(go run ./zz)" = "[AB ab]"
