cat > zz_test.go <<'E'
package size

import "testing"

func TestHeldOut(t *testing.T) {
	if got, err := Size("7MB"); err != nil || got != 7<<20 {
		t.Fatal(got, err)
	}
}
E
go test -count=1 -run TestHeldOut .
