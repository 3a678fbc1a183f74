// Package clock measures.
package clock

import "time"

var start = time.Now()

// Now is the time since the program began.
func Now() time.Duration { return time.Since(start) }
