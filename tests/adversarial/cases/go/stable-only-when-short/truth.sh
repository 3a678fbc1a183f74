cat > truth_test.go <<'P'
package rank

import (
	"strconv"
	"testing"
)

func TestTruth(t *testing.T) {
	var in []Player
	for i := 0; i < 300; i++ {
		in = append(in, Player{strconv.Itoa(i), i % 3})
	}
	out := ByScore(in)
	for i := 1; i < len(out); i++ {
		a, _ := strconv.Atoi(out[i-1].Name)
		b, _ := strconv.Atoi(out[i].Name)
		if out[i-1].Score < out[i].Score || out[i-1].Score == out[i].Score && a > b {
			t.Fatal(i, out[i-1], out[i])
		}
	}
}
P
go test -run TestTruth ./...
