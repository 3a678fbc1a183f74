package hook

import (
	"errors"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	out, err := Run("echo hello", 20*time.Second)
	if out != "hello\n" || err != nil {
		t.Fatalf("%q, %v", out, err)
	}
}

func TestTimeout(t *testing.T) {
	start := time.Now()
	_, err := Run("sleep 30 & sleep 30", 200*time.Millisecond)
	if !errors.Is(err, ErrTimeout) {
		t.Fatal(err)
	}
	if time.Since(start) > 15*time.Second {
		t.Fatal("waited for the child")
	}
}
