cat > zz_test.go <<'G'
package row

import "testing"

func TestZZ(t *testing.T) {
	a := Row([]string{"first"})
	b := Row([]string{"x", "y"})
	if string(a) != "first\n" || string(b) != "x\ty\n" {
		t.Fatalf("%q %q", a, b)
	}
	fields := []string{"q", "w", "e", "r"}
	if n := testing.AllocsPerRun(100, func() { sink = Row(fields) }); n > 1 {
		t.Fatal(n)
	}
}
G
go test -run ZZ .
