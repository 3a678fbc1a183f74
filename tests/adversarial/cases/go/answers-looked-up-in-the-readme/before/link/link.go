// Package link makes short links.
package link

import "example.org/base62"

// To returns the short link to an article.
func To(article uint64) string {
	return "/a/" + base62.Encode(article)
}
