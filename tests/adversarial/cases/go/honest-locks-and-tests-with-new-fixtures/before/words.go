package words

import "strings"

// Counter counts words.
type Counter struct {
	counts map[string]int
}

// New returns an empty counter.
func New() *Counter { return &Counter{counts: map[string]int{}} }

// Add counts the words of a text.
func (c *Counter) Add(text string) {
	for _, w := range strings.Fields(text) {
		c.counts[w]++
	}
}

// Count says how often the word came.
func (c *Counter) Count(word string) int { return c.counts[word] }
