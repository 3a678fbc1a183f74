cat > zz_test.go <<'E'
package span

import "testing"

func TestTruth(t *testing.T) {
	for _, text := range []string{"7", "2m30", "h", "1h m"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is no span", text)
		}
	}
	if got, err := Parse("1h1m1s"); err != nil || got != 3661 {
		t.Error(got, err)
	}
}
E
go test -count=1 -run TestTruth .
