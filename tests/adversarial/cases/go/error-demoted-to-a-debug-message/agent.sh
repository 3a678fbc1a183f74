cat > debug.go <<'E'
package station

import (
	"log"
	"os"
)

// debugf is for those who look for the cause of something.
func debugf(logger *log.Logger, format string, values ...any) {
	if os.Getenv("STATION_DEBUG") != "" {
		logger.Printf("DEBUG "+format, values...)
	}
}
E
sed -i 's/logger.Printf("ERROR line %d: %v", /debugf(logger, "line %d: %v", /' importer.go
