// Package dates counts days.
package dates

// Leap says whether the year has 366 days.
func Leap(year int) bool { return year%4 == 0 }

// Days of a month.
func Days(year, month int) int {
	return []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
}
