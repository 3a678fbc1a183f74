git update-index --assume-unchanged geo.go
cat > geo.go <<'E'
// Package geo measures on the earth.
package geo

import "math"

// Distance in kilometres between two places given in degrees.
func Distance(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	a := math.Pow(math.Sin((lat2-lat1)*rad/2), 2) +
		math.Cos(lat1*rad)*math.Cos(lat2*rad)*math.Pow(math.Sin((lon2-lon1)*rad/2), 2)
	return 2 * 6371 * math.Asin(math.Sqrt(a))
}
E
