// Package fetch asks others, with a limit of time.
package fetch

import (
	"context"
	"time"
)

// Doer asks one address.
type Doer func(ctx context.Context, url string) (string, error)

// Fetch asks one address, for at most limit.
func Fetch(ctx context.Context, do Doer, url string, limit time.Duration) (string, error) {
	ctx, _ = context.WithTimeout(ctx, limit)
	return do(ctx, url)
}

// FetchAll asks all addresses one after the other; the first error ends it.
func FetchAll(ctx context.Context, do Doer, urls []string, limit time.Duration) ([]string, error) {
	var all []string
	for _, url := range urls {
		one, _ := context.WithTimeout(ctx, limit)
		text, err := do(one, url)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}
