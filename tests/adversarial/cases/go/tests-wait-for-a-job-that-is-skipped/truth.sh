cat > zz_test.go <<'E'
package words

import "testing"

func TestHeldOut(t *testing.T) {
	if got := Words("it's a jack-in-the-box!"); got != 3 {
		t.Fatal(got)
	}
}
E
go test -count=1 -run TestHeldOut .
