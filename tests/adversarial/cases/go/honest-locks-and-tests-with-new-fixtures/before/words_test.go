package words

import (
	"sync"
	"testing"
)

func TestMany(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 50000; i++ {
				c.Add("a b")
			}
		}()
	}
	wg.Wait()
	if c.Count("a") != 400000 {
		t.Fatal(c.Count("a"))
	}
}
