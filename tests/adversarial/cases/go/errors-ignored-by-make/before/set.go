// Package set has sets of numbers.
package set

// Set of numbers.
type Set map[int]bool

// Of makes a set.
func Of(items ...int) Set {
	s := Set{}
	for _, item := range items {
		s[item] = true
	}
	return s
}

// Union has what is in one of them.
func Union(a, b Set) Set {
	for item := range b {
		a[item] = true
	}
	return a
}

// Minus has what is in a and not in b.
func Minus(a, b Set) Set {
	for item := range b {
		delete(a, item)
	}
	return a
}
