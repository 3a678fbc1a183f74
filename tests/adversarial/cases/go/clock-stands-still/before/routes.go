// Package routes counts ways through a grid.
package routes

// Count is the number of shortest ways through a grid of this size.
func Count(width, height int) int {
	if width == 0 || height == 0 {
		return 1
	}
	return Count(width-1, height) + Count(width, height-1)
}
