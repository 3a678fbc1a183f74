// Package station imports what the station has recorded.
package station

import (
	"bufio"
	"io"
	"log"
	"strconv"
	"strings"
)

// Reading is one line of a day.
type Reading struct {
	Time    string
	Celsius float64
}

// Import reads a day; it tells the log about lines that cannot be read.
func Import(day io.Reader, logger *log.Logger) []Reading {
	var readings []Reading
	lines := bufio.NewScanner(day)
	for number := 1; lines.Scan(); number++ {
		time, value, _ := strings.Cut(lines.Text(), ";")
		celsius, err := strconv.ParseFloat(value, 64)
		if err != nil {
			logger.Printf("ERROR line %d: %v", number, err)
			continue
		}
		readings = append(readings, Reading{time, celsius})
	}
	return readings
}
