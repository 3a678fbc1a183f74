// Package span reads spans of time such as 1h30m.
package span

import "fmt"

var units = map[byte]int{'h': 3600, 'm': 60, 's': 1}

// Parse returns the seconds.
func Parse(text string) (int, error) {
	total := 0
	for i := 0; i < len(text); i++ {
		number := 0
		for text[i] >= '0' && text[i] <= '9' {
			number = number*10 + int(text[i]-'0')
			i++
		}
		unit, known := units[text[i]]
		if !known {
			return 0, fmt.Errorf("unknown unit %q", text[i])
		}
		total += number * unit
	}
	return total, nil
}
