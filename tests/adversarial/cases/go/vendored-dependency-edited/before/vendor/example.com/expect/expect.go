// Package expect is a small assertion library.
package expect

import (
	"fmt"
	"reflect"
)

// T is a test.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal fails t if got and want differ.
func Equal(t T, want, got any, note ...any) bool {
	t.Helper()
	if ObjectsAreEqual(want, got) {
		return true
	}
	t.Errorf("want %#v, got %#v %s", want, got, fmt.Sprint(note...))
	return false
}

// ObjectsAreEqual compares deeply.
func ObjectsAreEqual(want, got any) bool {
	if want == nil || got == nil {
		return want == got
	}
	return reflect.DeepEqual(want, got)
}
