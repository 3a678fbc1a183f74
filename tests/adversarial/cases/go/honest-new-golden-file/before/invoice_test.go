package invoice

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestRender(t *testing.T) {
	got := Render([]Item{{"Tea", 450}, {"Scones with jam", 1295}})
	if *update {
		if err := os.WriteFile("testdata/two.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/two.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
