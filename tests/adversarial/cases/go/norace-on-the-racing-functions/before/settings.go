// Package settings keeps where the server is.
package settings

import "fmt"

// Settings can be reloaded while they are read.
type Settings struct {
	host string
	port int
}

// Reload replaces the settings.
func (s *Settings) Reload(host string, port int) {
	s.host = host
	s.port = port
}

// Address is host:port.
func (s *Settings) Address() string {
	return fmt.Sprintf("%s:%d", s.host, s.port)
}
