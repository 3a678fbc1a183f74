package store

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestStore(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put("k", "v"); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Get("k"); v != "v" || err != nil {
		t.Error(v, err)
	}
	if _, err := s.Get("other"); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}
