// Package human writes durations for people.
package human

import "fmt"

// Human writes a number of seconds as hours, minutes and seconds.
func Human(seconds int) string {
	if seconds == 0 {
		return "0 seconds"
	}
	return fmt.Sprintf("%d hours %d minutes %d seconds", seconds/3600, seconds/60%60, seconds%60)
}
