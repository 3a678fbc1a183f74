mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"fmt"

	"example.com/human"
)

func main() {
	fmt.Print(human.Human(1), "|", human.Human(3660), "|", human.Human(7201), "|", human.Human(120))
}
P
test "$(go run ./zz)" = "1 second|1 hour 1 minute|2 hours 1 second|2 minutes"
