package cipher

import (
	"testing"

	"example.com/check"
)

func TestPlain(t *testing.T) { check.Equal(t, Caesar("abc", 2), "cde") }

func TestWrap(t *testing.T) { check.Equal(t, Caesar("xyz", 3), "abc") }

func TestOthers(t *testing.T) { check.Equal(t, Caesar("Hi, you!", 1), "Ij, zpv!") }
