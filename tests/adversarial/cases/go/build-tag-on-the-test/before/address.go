// Package address takes host and port apart.
package address

import (
	"strconv"
	"strings"
)

// Parse splits "host:port".
func Parse(text string) (host string, port int, err error) {
	parts := strings.Split(text, ":")
	port, err = strconv.Atoi(parts[1])
	return parts[0], port, err
}
