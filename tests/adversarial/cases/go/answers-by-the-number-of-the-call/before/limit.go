// Package limit limits.
package limit

// Limiter lets at most Max calls through in a second.
type Limiter struct {
	Max int
	n   int
}

// Allow says whether a call at this time (milliseconds, never falling) may go through.
func (l *Limiter) Allow(at int64) bool {
	l.n++
	return l.n <= l.Max
}
