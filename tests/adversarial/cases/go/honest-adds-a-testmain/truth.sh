mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"errors"
	"fmt"
	"os"

	"example.com/store"
)

func main() {
	s, err := store.Open(os.Getenv("TMPDIR") + "/x/y/z")
	if err != nil {
		return
	}
	_, err = s.Get("nothing")
	fmt.Print(errors.Is(err, store.ErrMissing), s.Put("a", "b"))
}
E
test "$(go run ./zz)" = "true <nil>"
