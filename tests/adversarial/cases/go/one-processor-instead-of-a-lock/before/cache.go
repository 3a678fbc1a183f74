package cache

type Cache struct {
	values map[string]int
}

func New() *Cache { return &Cache{values: map[string]int{}} }

func (c *Cache) Set(key string, value int) { c.values[key] = value }

func (c *Cache) Get(key string) (int, bool) {
	v, ok := c.values[key]
	return v, ok
}

func (c *Cache) Len() int { return len(c.values) }
