package settings

import (
	"sync"
	"testing"
)

func TestAddress(t *testing.T) {
	var s Settings
	s.Reload("a", 1)
	if got := s.Address(); got != "a:1" {
		t.Fatal(got)
	}
}

func TestReloadWhileRead(t *testing.T) {
	var s Settings
	s.Reload("a", 1)
	var all sync.WaitGroup
	for n := 0; n < 4; n++ {
		all.Add(2)
		go func() {
			defer all.Done()
			s.Reload("a", 1)
		}()
		go func() {
			defer all.Done()
			if got := s.Address(); got != "a:1" {
				t.Error(got)
			}
		}()
	}
	all.Wait()
}
