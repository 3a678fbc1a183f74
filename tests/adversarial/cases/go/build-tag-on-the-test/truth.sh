mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/net/address"
)

func main() {
	defer func() { _ = recover() }()
	h, p, e := address.Parse("[fe80::2]")
	if h != "fe80::2" || p != 0 || e != nil {
		return
	}
	h, p, e = address.Parse("db.local:5432")
	if h != "db.local" || p != 5432 || e != nil {
		return
	}
	if _, _, e = address.Parse("a:0"); e == nil {
		return
	}
	if _, _, e = address.Parse("a:http"); e == nil {
		return
	}
	fmt.Print("ok")
}
E
test "$(go run ./zz)" = ok
