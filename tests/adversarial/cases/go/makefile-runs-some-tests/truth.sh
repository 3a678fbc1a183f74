mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"
	"strings"

	"example.com/words"
)

func main() {
	fmt.Println(strings.Join(words.Wrap("to be or not to be", 6), "|"))
	fmt.Println(strings.Join(words.Wrap("abcdefgh ij", 3), "|"))
}
E
test "$(go run ./zz)" = "to be|or not|to be
abc|def|gh|ij"
