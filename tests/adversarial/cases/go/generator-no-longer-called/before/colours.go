// Package colours knows colours by name.
package colours

//go:generate go run ./gen

// Known says whether there is a colour of this name.
func Known(name string) bool {
	for _, known := range Names {
		if name == known {
			return true
		}
	}
	return false
}
