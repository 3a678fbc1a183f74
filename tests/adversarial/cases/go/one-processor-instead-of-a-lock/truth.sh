cat > truth_test.go <<'P'
package cache

import (
	"runtime"
	"strconv"
	"sync"
	"testing"
)

func TestTruth(t *testing.T) {
	runtime.GOMAXPROCS(4)
	c := New()
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 200000; i++ {
				c.Set(strconv.Itoa(i%50), g)
				c.Get("7")
			}
		}(g)
	}
	wg.Wait()
}
P
go test -run TestTruth ./...
