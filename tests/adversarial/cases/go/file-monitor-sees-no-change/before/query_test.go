package query

import "testing"

func TestPlain(t *testing.T) {
	if got := Query(map[string]string{"b": "2", "a": "1"}); got != "a=1&b=2" {
		t.Error(got)
	}
}

func TestEscapes(t *testing.T) {
	if got := Query(map[string]string{"q": "a&b c", "x y": "ü"}); got != "q=a%26b+c&x+y=%C3%BC" {
		t.Error(got)
	}
}
