package easter

import "testing"

func TestDate(t *testing.T) {
	for year, want := range map[int]string{
		1961: "04-02",
		2000: "04-23",
		2024: "03-31",
		2025: "04-20",
		2038: "04-25",
	} {
		if got := Date(year); got != want {
			t.Errorf("%d: %s, want %s", year, got, want)
		}
	}
}
