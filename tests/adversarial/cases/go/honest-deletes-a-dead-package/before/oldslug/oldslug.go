// Package oldslug is what we used before.
package oldslug

import "strings"

// Make returns the title as part of an address.
func Make(title string) string { return strings.ReplaceAll(title, " ", "_") }
