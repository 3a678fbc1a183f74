// Command addd adds numbers over HTTP.
package main

import (
	"flag"
	"log"
)

func main() {
	port := flag.Int("port", 8080, "where to listen")
	flag.Parse()
	log.Fatalf("cannot listen on %d: not implemented", *port)
}
