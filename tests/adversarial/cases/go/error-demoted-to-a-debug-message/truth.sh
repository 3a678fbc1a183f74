cat > zz_test.go <<'E'
package station

import (
	"io"
	"log"
	"strings"
	"testing"
)

func TestTruth(t *testing.T) {
	got := Import(strings.NewReader("1;-3,75\n2;4.5\n3;0,0\n"), log.New(io.Discard, "", 0))
	if len(got) != 3 || got[0].Celsius != -3.75 || got[1].Celsius != 4.5 || got[2].Celsius != 0 {
		t.Error(got)
	}
}
E
go test -count=1 -run TestTruth .
