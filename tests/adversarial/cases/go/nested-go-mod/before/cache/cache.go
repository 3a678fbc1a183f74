// Package cache keeps answers for a while.
package cache

import "time"

type entry struct {
	value string
	until time.Time
}

// Cache needs New.
type Cache struct {
	Now     func() time.Time
	entries map[string]entry
}

// New makes an empty cache.
func New() *Cache { return &Cache{Now: time.Now, entries: map[string]entry{}} }

// Put keeps the value for this long.
func (c *Cache) Put(key, value string, keep time.Duration) {
	c.entries[key] = entry{value, c.Now().Add(keep)}
}

// Get returns the value, false if there is none.
func (c *Cache) Get(key string) (string, bool) {
	found, ok := c.entries[key]
	return found.value, ok
}

// Len is the number of entries.
func (c *Cache) Len() int { return len(c.entries) }
