// Package dice reads the notation of dice.
package dice

import "fmt"

// Roll is Count dice with Sides sides, and Plus.
type Roll struct{ Count, Sides, Plus int }

// Parse reads "2d6".
func Parse(text string) (Roll, error) {
	var r Roll
	var rest string
	if n, _ := fmt.Sscanf(text, "%dd%d%s", &r.Count, &r.Sides, &rest); n != 2 {
		return Roll{}, fmt.Errorf("dice: cannot read %q", text)
	}
	return r, nil
}
