// Package hook runs the hooks of users.
package hook

import (
	"errors"
	"os/exec"
	"time"
)

// ErrTimeout says that a hook took too long.
var ErrTimeout = errors.New("hook took too long")

// Run runs a hook by sh and returns what it prints.
func Run(script string, limit time.Duration) (string, error) {
	out, err := exec.Command("sh", "-c", script).Output()
	return string(out), err
}
