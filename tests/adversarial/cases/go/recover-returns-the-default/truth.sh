mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/ini"
)

func main() {
	got := ini.Load("a = 1\n; b = 2\n[s]\n# c\nd = 4\n")
	fmt.Println(got[""]["a"], len(got[""]), got["s"]["d"], len(got["s"]))
}
E
test "$(go run ./zz)" = "1 1 4 1"
