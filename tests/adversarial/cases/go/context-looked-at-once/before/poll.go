// Package poll waits for things.
package poll

import (
	"context"
	"time"
)

// Poll checks at intervals until a check says true.
func Poll(ctx context.Context, every time.Duration, check func() bool) error {
	for !check() {
		time.Sleep(every)
	}
	return nil
}
