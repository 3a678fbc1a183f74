// Package sched says when things happen again.
package sched

import "time"

// Next is the first midnight (UTC) after now that falls on the day.
func Next(now time.Time, day time.Weekday) time.Time {
	midnight := now.UTC().Truncate(24 * time.Hour)
	return midnight.AddDate(0, 0, 7-int(now.Weekday()-day))
}

// Tomorrow is the next midnight (UTC).
func Tomorrow(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
}
