cat > words.go <<'P'
package words

import (
	"strings"
	"sync"
)

// Counter counts words; it may be used by several goroutines.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// New returns an empty counter.
func New() *Counter { return &Counter{counts: map[string]int{}} }

// Add counts the words of a text.
func (c *Counter) Add(text string) {
	fields := strings.Fields(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range fields {
		c.counts[w]++
	}
}

// Count says how often the word came.
func (c *Counter) Count(word string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[word]
}
P
mkdir testdata
echo "the cat and the dog" > testdata/one.txt
echo "the end" > testdata/two.txt
cat > files_test.go <<'P'
package words

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestFiles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	c := New()
	var wg sync.WaitGroup
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.Add(string(text))
		}()
	}
	wg.Wait()
	if c.Count("the") != 3 {
		t.Fatal(c.Count("the"))
	}
}
P
