cat > zz_test.go <<'E'
package fetch

import (
	"context"
	"testing"
	"time"
)

func TestHeldOut(t *testing.T) {
	var seen []context.Context
	do := func(ctx context.Context, url string) (string, error) {
		for _, old := range seen {
			if old.Err() == nil {
				t.Fatal("an earlier one is alive")
			}
		}
		seen = append(seen, ctx)
		return url, nil
	}
	if _, err := Fetch(context.Background(), do, "x", time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := FetchAll(context.Background(), do, []string{"a", "b", "c"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, ctx := range seen {
		if ctx.Err() == nil {
			t.Fatal("leaks")
		}
	}
}
E
go test -vet=off -count=1 -run TestHeldOut .
