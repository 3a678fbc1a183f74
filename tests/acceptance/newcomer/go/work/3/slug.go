// Package slug makes titles fit for use in addresses.
package slug

import "strings"

// Slug turns a title into a part of an address.
func Slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r)
	})
	return strings.Join(words, "-")
}
