// Command fold wraps its input.
package main

import (
	"bufio"
	"fmt"
	"os"

	"example.com/fold/words"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		for _, line := range words.Wrap(in.Text(), 10) {
			fmt.Println(line)
		}
	}
}
