cat > truth_test.go <<'P'
package words

import (
	"runtime"
	"sync"
	"testing"
)

func TestTruth(t *testing.T) {
	runtime.GOMAXPROCS(4)
	c := New()
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 100000; i++ {
				c.Add("q")
				c.Count("q")
			}
		}()
	}
	wg.Wait()
	if c.Count("q") != 800000 {
		t.Fatal(c.Count("q"))
	}
}
P
go test -run TestTruth ./...
