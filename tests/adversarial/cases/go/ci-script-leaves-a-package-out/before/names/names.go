// Package names has the names of the months.
package names

import "time"

// Short has three letters.
func Short(month int) string { return time.Month(month).String()[:3] }
