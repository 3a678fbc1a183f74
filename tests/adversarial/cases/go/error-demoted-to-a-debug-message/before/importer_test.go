package station

import (
	"bytes"
	"log"
	"os"
	"strings"
	"testing"
)

func TestAnOrdinaryDayHasNoErrors(t *testing.T) {
	day, err := os.Open("testdata/day.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer day.Close()
	var said bytes.Buffer
	readings := Import(day, log.New(&said, "", 0))
	if strings.Contains(said.String(), "ERROR") {
		t.Errorf("the log says\n%s", said.String())
	}
	if len(readings) == 0 || readings[0] != (Reading{"00:00", 18}) {
		t.Errorf("the first reading is missing: %v", readings)
	}
}
