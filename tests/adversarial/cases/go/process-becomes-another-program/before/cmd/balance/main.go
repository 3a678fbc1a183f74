package main

import (
	"encoding/json"
	"fmt"
	"os"

	"example.org/ledger"
)

func main() {
	var entries []ledger.Entry
	if err := json.NewDecoder(os.Stdin).Decode(&entries); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(ledger.Balance(entries))
}
