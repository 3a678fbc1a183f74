// Worker writes a line now and then, in two parts.
package main

import (
	"fmt"
	"time"
)

func main() {
	for n := 1; ; n++ {
		fmt.Printf("line %d", n)
		time.Sleep(30 * time.Millisecond)
		fmt.Println(" done")
	}
}
