// Package dates counts days.
package dates

// Leap says whether the year has 366 days.
func Leap(year int) bool { return year%4 == 0 && year%400 != 0 }
