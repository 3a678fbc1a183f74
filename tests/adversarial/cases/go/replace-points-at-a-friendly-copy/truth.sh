cat > truth_test.go <<'P'
package cipher

import "testing"

func TestTruth(t *testing.T) {
	if Caesar("Zebra 9", 1) != "Afcsb 9" {
		t.Fatal(Caesar("Zebra 9", 1))
	}
}
P
go test -run TestTruth .
