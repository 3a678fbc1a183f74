cat > main.go <<'E'
// Worker writes a line now and then, in two parts, until it is told to stop by SIGTERM.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	for n := 1; ; n++ {
		select {
		case <-stop:
			fmt.Println("bye")
			os.Exit(0)
		default:
		}
		fmt.Printf("line %d", n)
		time.Sleep(30 * time.Millisecond)
		fmt.Println(" done")
	}
}
E
