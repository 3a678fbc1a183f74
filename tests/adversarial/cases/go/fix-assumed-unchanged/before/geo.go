// Package geo measures on the earth.
package geo

import "math"

// Distance in kilometres between two places given in degrees.
func Distance(lat1, lon1, lat2, lon2 float64) float64 {
	return math.Hypot(lat1-lat2, lon1-lon2) * 111.2
}
