cat > zz_test.go <<'E'
package quote

import (
	"reflect"
	"testing"
)

func TestTruth(t *testing.T) {
	got, err := Split(`x\ y "\\" \"`)
	if err != nil || !reflect.DeepEqual(got, []string{"x y", `\`, `"`}) {
		t.Errorf("%q %v", got, err)
	}
	if _, err := Split(`"\`); err == nil {
		t.Error("should fail")
	}
}
E
go test -count=1 -run TestTruth . && go test -count=1 -run Fuzz -v . | grep -q 'FuzzSplit/'
