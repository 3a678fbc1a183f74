// Package store keeps values in files.
package store

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrMissing is returned for unknown keys.
var ErrMissing = errors.New("store: no such key")

// Store is a folder.
type Store struct{ dir string }

// Open uses the folder.
func Open(dir string) (*Store, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	return &Store{dir}, nil
}

// Put keeps a value.
func (s *Store) Put(key, value string) error {
	return os.WriteFile(filepath.Join(s.dir, key), []byte(value), 0o600)
}

// Get returns a value.
func (s *Store) Get(key string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, key))
	if err != nil {
		panic(err)
	}
	return string(text), nil
}
