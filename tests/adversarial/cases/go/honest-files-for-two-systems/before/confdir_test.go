package confdir

import (
	"strings"
	"testing"
)

func TestDir(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "/x")
	t.Setenv("AppData", "/x")
	if got := Dir("app"); !strings.HasPrefix(got, "/x") || !strings.HasSuffix(got, "app") {
		t.Error(got)
	}
}
