cat > zz_test.go <<'G'
package hook

import (
	"errors"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	start := time.Now()
	out, err := Run("echo a; (sleep 60; echo b); echo c", time.Second)
	if !errors.Is(err, ErrTimeout) || time.Since(start) > 20*time.Second {
		t.Fatalf("%q, %v", out, err)
	}
	if _, err := Run("exit 3", 20*time.Second); err == nil || errors.Is(err, ErrTimeout) {
		t.Fatal(err)
	}
}
G
go test -run ZZ .
