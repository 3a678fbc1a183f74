cat > zz_test.go <<'G'
package codec

import (
	"bytes"
	"testing"
)

func TestZZ(t *testing.T) {
	runs, found := All["runs"]
	if !found {
		t.Fatal("not there")
	}
	data := append(bytes.Repeat([]byte{7}, 256), bytes.Repeat([]byte{8}, 511)...)
	back, err := runs.Unpack(runs.Pack(data))
	if err != nil || !bytes.Equal(back, data) {
		t.Fatal(len(back), err)
	}
}
G
go test -run ZZ .
