// Tally adds up the column "count" of a CSV file.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"
)

func tally(path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return 0, err
	}
	if len(rows) == 0 || len(rows[0]) == 0 || rows[0][0] != "count" {
		return 0, errors.New(path + ": no column count")
	}
	total := 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[0])
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tally FILE")
		os.Exit(2)
	}
	total, err := tally(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
	fmt.Println("total", total)
}
