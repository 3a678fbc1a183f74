package rank

import "testing"

func TestOrder(t *testing.T) {
	got := ByScore([]Player{{"a", 1}, {"b", 3}, {"c", 1}, {"d", 3}, {"e", 1}, {"f", 2}, {"g", 3}})
	want := "bdgface"
	text := ""
	for _, p := range got {
		text += p.Name
	}
	if text != "bdgface" {
		t.Fatalf("%s, want %s", text, want)
	}
}
