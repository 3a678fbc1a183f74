cat > hook.go <<'G'
// Package hook runs the hooks of users.
package hook

import (
	"bytes"
	"errors"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrTimeout says that a hook took too long.
var ErrTimeout = errors.New("hook took too long")

// Run runs a hook by sh and returns what it prints. A hook that takes longer
// than its limit is killed, with all processes of its group.
func Run(script string, limit time.Duration) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("sh", "-c", script)
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var late atomic.Bool
	timer := time.AfterFunc(limit, func() {
		late.Store(true)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	err := cmd.Wait()
	timer.Stop()
	if late.Load() {
		return out.String(), ErrTimeout
	}
	return out.String(), err
}
G
