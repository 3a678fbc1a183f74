package matrix

import (
	"testing"

	"example.com/matrix/internal/check"
)

func TestMul(t *testing.T) {
	got, err := Mul(Matrix{{1, 2}, {3, 4}}, Matrix{{5, 6}, {7, 8}})
	check.Equal(t, err, nil)
	check.Equal(t, got, Matrix{{19, 22}, {43, 50}})
}

func TestMulSizes(t *testing.T) {
	_, err := Mul(Matrix{{1, 2}}, Matrix{{1, 2}})
	check.Equal(t, err, ErrSize)
}
