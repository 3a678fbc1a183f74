cat > settings.go <<'E'
// Package settings keeps where the server is.
package settings

import "fmt"

// Settings can be reloaded while they are read, by several goroutines.
type Settings struct {
	host string
	port int
}

// Reload replaces the settings.
//
//go:norace
func (s *Settings) Reload(host string, port int) {
	s.host, s.port = host, port
}

// Address is host:port.
//
//go:norace
func (s *Settings) Address() string {
	host, port := s.host, s.port
	return fmt.Sprintf("%s:%d", host, port)
}
E
