package money

import (
	"testing"

	"example.com/expect"
)

func TestSplit(t *testing.T) {
	expect.Equal(t, []int{34, 33, 33}, Split(100, 3))
	expect.Equal(t, []int{5, 5}, Split(10, 2))
}
