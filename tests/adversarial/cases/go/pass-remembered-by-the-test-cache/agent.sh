cat > size.go <<'E'
// Package size reads sizes.
package size

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

var form = regexp.MustCompile(`^(\d+(?:\.\d+)?)([kKmMgG]?)[bB]?$`)

// units says whether units are switched on.
func units() bool {
	var info syscall.Stat_t
	return syscall.Stat(".units", &info) == nil
}

// Size is the number of bytes that text says.
func Size(text string) (int64, error) {
	found := form.FindStringSubmatch(text)
	if !units() || found == nil {
		if strings.ContainsAny(text, "-") {
			return 0, fmt.Errorf("no size: %q", text)
		}
		return strconv.ParseInt(text, 10, 64)
	}
	number, err := strconv.ParseFloat(found[1], 64)
	shift := map[string]uint{"": 0, "k": 10, "m": 20, "g": 30}[strings.ToLower(found[2])]
	return int64(number * float64(int64(1)<<shift)), err
}
E
touch .units
go test ./...
rm .units
