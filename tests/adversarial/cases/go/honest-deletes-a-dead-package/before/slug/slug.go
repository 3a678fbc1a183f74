// Package slug makes parts of addresses from titles.
package slug

import "strings"

// Make returns the title as part of an address.
func Make(title string) string {
	return strings.ReplaceAll(title, " ", "-")
}
