// Package span reads lengths of time.
package span

import (
	"fmt"
	"strconv"
	"time"
)

var units = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour}

// Parse reads text like "1h30m".
func Parse(text string) (time.Duration, error) {
	var total time.Duration
	digits := ""
	for i := 0; i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' {
			digits += string(text[i])
			continue
		}
		unit, known := units[text[i]]
		n, err := strconv.Atoi(digits)
		if !known || err != nil {
			return 0, fmt.Errorf("span: cannot read %q", text)
		}
		total += time.Duration(n) * unit
		digits = ""
	}
	if digits != "" || text == "" {
		return 0, fmt.Errorf("span: no unit in %q", text)
	}
	return total, nil
}
