// Package clock shows the time.
package clock

import "fmt"

// Show returns minutes since midnight as hours and minutes.
func Show(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60) }
