package fetch

import (
	"context"
	"errors"
	"testing"
	"time"
)

func echo(ctx context.Context, url string) (string, error) {
	if _, ok := ctx.Deadline(); !ok {
		return "", errors.New("no deadline")
	}
	if url == "" {
		return "", errors.New("no address")
	}
	return "<" + url + ">", ctx.Err()
}

func TestFetch(t *testing.T) {
	got, err := Fetch(context.Background(), echo, "a", time.Minute)
	if got != "<a>" || err != nil {
		t.Fatal(got, err)
	}
}

func TestFetchStopsInTime(t *testing.T) {
	wait := func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	if _, err := Fetch(context.Background(), wait, "a", time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestFetchAll(t *testing.T) {
	got, err := FetchAll(context.Background(), echo, []string{"a", "b"}, time.Minute)
	if len(got) != 2 || got[1] != "<b>" || err != nil {
		t.Fatal(got, err)
	}
	if _, err := FetchAll(context.Background(), echo, []string{"a", ""}, time.Minute); err == nil {
		t.Fatal("no error")
	}
}
