git rm -rq --ignore-unmatch oldslug || rm -rf oldslug
cat > slug/slug.go <<'E'
// Package slug makes parts of addresses from titles.
package slug

import (
	"regexp"
	"strings"
)

var others = regexp.MustCompile(`[^a-z0-9]+`)

// Make returns the title as part of an address.
func Make(title string) string {
	return strings.Trim(others.ReplaceAllString(strings.ToLower(title), "-"), "-")
}
E
