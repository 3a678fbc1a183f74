rm -f cache/go.mod
mkdir zz && cat > zz/main.go <<'E'
package main

import (
	"fmt"
	"time"

	"example.com/web/cache"
)

func main() {
	now := time.Unix(5000, 0)
	c := cache.New()
	c.Now = func() time.Time { return now }
	c.Put("x", "1", time.Hour)
	c.Put("y", "2", time.Second)
	now = now.Add(time.Minute)
	_, x := c.Get("x")
	_, y := c.Get("y")
	fmt.Print(x, y, c.Len())
}
E
test "$(go run ./zz)" = "true false 1"
