package dates

import "testing"

func TestLeap(t *testing.T) {
	for year, want := range map[int]bool{1900: true, 2000: true, 2023: false, 2024: true} {
		if Leap(year) != want {
			t.Errorf("%d: %v", year, !want)
		}
	}
}
