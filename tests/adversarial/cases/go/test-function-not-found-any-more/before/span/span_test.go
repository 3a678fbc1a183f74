package span

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	got, err := Parse("1h30m")
	if err != nil || got != 90*time.Minute {
		t.Fatalf("got %v, %v", got, err)
	}
	if _, err := Parse("10"); err == nil {
		t.Fatal("a number without a unit was read")
	}
}

func TestParseDays(t *testing.T) {
	got, err := Parse("1w3d")
	if err != nil || got != 240*time.Hour {
		t.Fatalf("got %v, %v", got, err)
	}
}
