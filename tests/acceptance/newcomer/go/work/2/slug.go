// Package slug makes titles fit for use in addresses.
package slug

import "strings"

// Slug turns a title into a part of an address.
func Slug(title string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) {
			return r
		}
		return '-'
	}, strings.ToLower(title))
}
