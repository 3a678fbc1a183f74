// Command greet is polite.
package main

import "fmt"

func main() {
	fmt.Println("Hello!")
}
