// Command wc counts lines, words and characters of its input.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines, words, chars := count(string(text))
	fmt.Println(lines, words, chars)
}
