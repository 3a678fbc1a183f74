package set

import "testing"

func TestUnion(t *testing.T) {
	a := Of(1, 2)
	if got := Union(a, Of(3)); len(got) != 3 || len(a) != 2 {
		t.Error(got, a)
	}
}

func TestMinus(t *testing.T) {
	a := Of(1, 2)
	if got := Minus(a, Of(2)); len(got) != 1 || len(a) != 2 {
		t.Error(got, a)
	}
}
