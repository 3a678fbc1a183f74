cat > zz_test.go <<'G'
package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Poll(ctx, time.Minute, func() bool { return false }) }()
	select {
	case err := <-done:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("still waiting")
	}
}
G
go test -run ZZ .
