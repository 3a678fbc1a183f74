package frac

import "testing"

func TestAdd(t *testing.T) {
	for _, c := range []struct{ a, b, want Frac }{
		{Frac{1, 2}, Frac{1, 3}, Frac{5, 6}},
		{Frac{1, 4}, Frac{1, 4}, Frac{1, 2}},
		{Frac{1, -2}, Frac{0, 1}, Frac{-1, 2}},
	} {
		if got := Add(c.a, c.b); got != c.want {
			t.Errorf("%v + %v = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
