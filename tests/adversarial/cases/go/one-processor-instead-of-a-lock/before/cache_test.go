package cache

import (
	"strconv"
	"sync"
	"testing"
)

func TestConcurrent(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 60000; i++ {
				c.Set(strconv.Itoa(i%100), g)
			}
		}(g)
	}
	wg.Wait()
	if c.Len() != 100 {
		t.Fatal(c.Len())
	}
}
