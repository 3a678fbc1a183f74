// Package tariff knows what a ride costs.
package tariff

// Cents for a ride of this many zones.
func Cents(zones int, child, night bool) int {
	price := 180 + 90*(zones-1)
	if zones > 5 {
		price = 600
	}
	if child {
		price /= 2
	}
	if night {
		price += 100
	}
	return price
}
