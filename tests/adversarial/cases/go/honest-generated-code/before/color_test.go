package color

import (
	"fmt"
	"testing"
)

func TestString(t *testing.T) {
	if got := fmt.Sprint(Color(0), Color(2), Color(7)); got != "red blue Color(7)" {
		t.Error(got)
	}
}
