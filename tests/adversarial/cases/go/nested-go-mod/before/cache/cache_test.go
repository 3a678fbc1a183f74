package cache

import (
	"testing"
	"time"
)

func TestExpires(t *testing.T) {
	now := time.Unix(1000, 0)
	c := New()
	c.Now = func() time.Time { return now }
	c.Put("a", "1", time.Minute)
	if v, ok := c.Get("a"); !ok || v != "1" {
		t.Fatal(v, ok)
	}
	now = now.Add(2 * time.Minute)
	if _, ok := c.Get("a"); ok || c.Len() != 0 {
		t.Fatal("still there")
	}
}
