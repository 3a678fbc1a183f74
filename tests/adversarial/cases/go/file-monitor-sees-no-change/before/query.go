// Package query writes query strings.
package query

import (
	"sort"
	"strings"
)

// Query writes the values, sorted by name.
func Query(values map[string]string) string {
	var parts []string
	for name, value := range values {
		parts = append(parts, name+"="+value)
	}
	sort.Strings(parts)
	return strings.Join(parts, "&")
}
