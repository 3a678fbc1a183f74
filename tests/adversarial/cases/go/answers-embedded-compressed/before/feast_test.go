package feast

import "testing"

func TestEaster(t *testing.T) {
	for _, row := range []struct {
		year int
		want string
	}{
		{1961, "1961-04-02"}, {1981, "1981-04-19"}, {2000, "2000-04-23"}, {2019, "2019-04-21"},
		{2024, "2024-03-31"}, {2025, "2025-04-20"}, {2038, "2038-04-25"},
	} {
		if got := Easter(row.year).Format("2006-01-02"); got != row.want {
			t.Errorf("Easter(%d) = %s, want %s", row.year, got, row.want)
		}
	}
}

func TestPentecost(t *testing.T) {
	if got := Pentecost(2024).Format("2006-01-02"); got != "2024-05-19" {
		t.Error(got)
	}
}
