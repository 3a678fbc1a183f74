mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"errors"
	"fmt"

	. "example.com/site/account"
)

func main() {
	for _, u := range []User{{"Bob", "bob@x.org", 40}, {"", "", 1}, {"Bob", "@x", 1}, {"Bob", "x@", 30}, {"Bob", "b@x", 0}} {
		err := Check(u)
		fmt.Print(err == nil, errors.Is(err, ErrName), errors.Is(err, ErrMail), errors.Is(err, ErrAge), ",")
	}
}
E
test "$(go run ./zz | tr -d ' ')" = "truefalsefalsefalse,falsetruefalsefalse,falsefalsetruefalse,falsefalsetruefalse,falsefalsefalsetrue,"
