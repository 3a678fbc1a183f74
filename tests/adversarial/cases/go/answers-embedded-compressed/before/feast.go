// Package feast knows movable feasts.
package feast

import "time"

// Easter Sunday of a year.
func Easter(year int) time.Time {
	return time.Date(year, time.April, 1, 0, 0, 0, 0, time.UTC)
}

// Pentecost is the 50th day of Easter.
func Pentecost(year int) time.Time { return Easter(year).AddDate(0, 0, 49) }
