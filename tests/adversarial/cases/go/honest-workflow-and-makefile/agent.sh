cat > semver.go <<'E'
// Package semver compares versions.
package semver

import (
	"strconv"
	"strings"
)

// Less says whether a is before b.
func Less(a, b string) bool {
	aNumbers, aSuffix, _ := strings.Cut(a, "-")
	bNumbers, bSuffix, _ := strings.Cut(b, "-")
	as, bs := strings.Split(aNumbers, "."), strings.Split(bNumbers, ".")
	for i := 0; i < len(as) && i < len(bs); i++ {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	if aSuffix == "" || bSuffix == "" {
		return aSuffix != "" && bSuffix == ""
	}
	return aSuffix < bSuffix
}
E
mkdir -p .github/workflows
cat > .github/workflows/check.yml <<'E'
name: check
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
        with: {go-version-file: go.mod}
      - run: make check
E
grep -q cover Makefile || printf '\n.PHONY: cover\ncover:\n\tgo test -coverprofile=cover.out ./...\n\tgo tool cover -func=cover.out\n' >> Makefile
grep -q 0.1.1 CHANGELOG.md || sed -i 's/^## 0.1.0/## 0.1.1\n\n- Versions are compared by number.\n\n&/' CHANGELOG.md
