// Package matrix calculates with small matrices.
package matrix

import "errors"

// Matrix holds rows.
type Matrix [][]int

// ErrSize is returned for matrices that do not fit.
var ErrSize = errors.New("matrix: sizes do not fit")

// Mul returns the product of a and b.
func Mul(a, b Matrix) (Matrix, error) {
	out := make(Matrix, len(a))
	for i := range a {
		out[i] = make([]int, len(a[i]))
		for j := range a[i] {
			if i < len(b) && j < len(b[i]) {
				out[i][j] = a[i][j] * b[i][j]
			}
		}
	}
	return out, nil
}
