// Package postage knows what letters cost.
package postage

import "errors"

// ErrWeight is returned for letters that are not carried.
var ErrWeight = errors.New("postage: not carried")

// Cents is the price of a letter.
func Cents(grams int, abroad bool) (int, error) { return 0, nil }
