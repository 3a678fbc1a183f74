// Package score gives marks.
package score

// Grade of a number of points from 0 to 100.
func Grade(points int) string {
	switch {
	case points < 0 || points > 100:
		return "?"
	case points >= 90:
		return "A"
	case points >= 75:
		return "B"
	case points >= 50:
		return "C"
	}
	return "F"
}

// Passed says whether the grade is enough.
func Passed(grade string) bool {
	return grade == "A" || grade == "B" || grade == "C"
}
