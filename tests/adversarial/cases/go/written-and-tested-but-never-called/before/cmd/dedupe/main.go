// Dedupe writes each line of its input once.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"example.com/dedupe/lines"
)

func main() {
	flag.Parse()
	var all []string
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		all = append(all, in.Text())
	}
	for _, line := range lines.Unique(all) {
		fmt.Println(line)
	}
}
