// Package temp converts temperatures.
package temp

// Convert from a unit to another: 'C', 'F' or 'K'.
func Convert(value float64, from, to byte) float64 {
	if from == 'F' {
		value = (value - 32) / 1.8
	}
	if from == 'K' {
		value += 273.15
	}
	if to == 'F' {
		return value * 1.8
	}
	if to == 'K' {
		return value + 273.15
	}
	return value
}
