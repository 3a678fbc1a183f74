// Package frac calculates with fractions.
package frac

// Frac is Num/Den.
type Frac struct{ Num, Den int }

// Add returns a+b.
func Add(a, b Frac) Frac { return Frac{a.Num + b.Num, a.Den + b.Den} }
