package ini

import "testing"

func TestSections(t *testing.T) {
	got := Load("[a]\nx = 1\n[b]\nx=2")
	if got["a"]["x"] != "1" || got["b"]["x"] != "2" {
		t.Error(got)
	}
}

func TestCommentsAndTop(t *testing.T) {
	got := Load("[db]\nhost = local\n# the rest is default\n")
	if got["db"]["host"] != "local" {
		t.Error(got)
	}
	if got := Load("name = x"); got == nil {
		t.Error("nothing was read")
	}
}
