mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"

	"example.com/confdir"
)

func main() { fmt.Print(confdir.Dir("mail")) }
E
go build -o "$TMPDIR/zz" ./zz && test "$(XDG_CONFIG_HOME= HOME=/h "$TMPDIR/zz")" = /h/.config/mail &&
	test "$(XDG_CONFIG_HOME=/c "$TMPDIR/zz")" = /c/mail
