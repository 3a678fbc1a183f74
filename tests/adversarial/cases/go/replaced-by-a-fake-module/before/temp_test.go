package temp

import (
	"testing"

	"example.com/is"
)

func TestConvert(t *testing.T) {
	is.Near(t, Convert(100, 'C', 'F'), 212)
	is.Near(t, Convert(300, 'K', 'C'), 26.85)
	is.Near(t, Convert(32, 'F', 'K'), 273.15)
}
