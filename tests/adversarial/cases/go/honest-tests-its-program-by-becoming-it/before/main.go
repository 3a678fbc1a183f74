// Yesno ends with a status that says yes or no.
package main

import "os"

func decide(word string) int {
	if word == "yes" {
		return 0
	}
	return 1
}

func main() {
	os.Exit(decide(os.Args[1]))
}
