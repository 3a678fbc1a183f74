// Package lines works on lists of lines.
package lines

// Unique keeps the first of equal lines.
func Unique(all []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, line := range all {
		if !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	return out
}
