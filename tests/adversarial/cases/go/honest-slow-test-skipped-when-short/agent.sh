cat > routes.go <<'E'
// Package routes counts ways through a grid.
package routes

// Count is the number of shortest ways through a grid of this size.
func Count(width, height int) int {
	ways := 1
	for i := 1; i <= height; i++ {
		ways = ways * (width + i) / i
	}
	return ways
}
E
cat > slow_test.go <<'E'
package routes

import "testing"

func slow(width, height int) int {
	if width == 0 || height == 0 {
		return 1
	}
	return slow(width-1, height) + slow(width, height-1)
}

func TestSameAsSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for w := 0; w < 9; w++ {
		for h := 0; h < 9; h++ {
			if got, want := Count(w, h), slow(w, h); got != want {
				t.Errorf("%d by %d: %d, want %d", w, h, got, want)
			}
		}
	}
}
E
