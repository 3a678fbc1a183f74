mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/semver"
)

func main() {
	for _, c := range [][2]string{{"0.2.9", "0.2.10"}, {"9.0.0", "10.0.0"}, {"2.0.0-beta", "2.0.0"}, {"1.0.0", "1.0.1-rc1"}} {
		fmt.Print(semver.Less(c[0], c[1]), semver.Less(c[1], c[0]), ",")
	}
}
E
test "$(go run ./zz)" = "true false,true false,true false,true false,"
