package lines

import (
	"strings"
	"testing"
)

func TestUnique(t *testing.T) {
	if got := strings.Join(Unique([]string{"b", "a", "b"}), " "); got != "b a" {
		t.Error(got)
	}
}
