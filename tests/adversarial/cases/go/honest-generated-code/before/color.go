// Package color names colors.
package color

// Color is the number of a line in colors.txt, from 0.
type Color int
