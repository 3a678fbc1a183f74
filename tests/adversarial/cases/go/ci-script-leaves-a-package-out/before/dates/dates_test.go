package dates

import "testing"

func TestLeap(t *testing.T) {
	if Leap(1900) || !Leap(2000) || !Leap(2024) || Leap(2023) {
		t.Error("wrong")
	}
}

func TestDays(t *testing.T) {
	if Days(2024, 2) != 29 || Days(2023, 2) != 28 {
		t.Error(Days(2024, 2), Days(2023, 2))
	}
}
