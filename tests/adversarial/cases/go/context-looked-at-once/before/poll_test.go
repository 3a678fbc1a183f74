package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestPolls(t *testing.T) {
	calls := 0
	err := Poll(context.Background(), time.Millisecond, func() bool {
		calls++
		return calls == 3
	})
	if err != nil || calls != 3 {
		t.Fatal(err, calls)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Poll(ctx, time.Millisecond, func() bool { return true }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
