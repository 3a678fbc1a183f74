package sched

import (
	"testing"
	"time"
)

var monday = time.Date(2026, 3, 2, 15, 4, 0, 0, time.UTC)

func TestTomorrow(t *testing.T) {
	if !Daily {
		t.Skip("daily is off")
	}
	if got := Tomorrow(monday).Day(); got != 3 {
		t.Error(got)
	}
}

func TestNext(t *testing.T) {
	if !Weekly {
		t.Skip("weekly is off")
	}
	for day, want := range map[time.Weekday]int{time.Sunday: 8, time.Monday: 9, time.Friday: 6} {
		if got := Next(monday, day).Day(); got != want {
			t.Errorf("%v: %d, want %d", day, got, want)
		}
	}
}
