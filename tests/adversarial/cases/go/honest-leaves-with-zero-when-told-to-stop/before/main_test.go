package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStops(t *testing.T) {
	program := filepath.Join(t.TempDir(), "worker")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	var out bytes.Buffer
	command := exec.Command(program)
	command.Stdout = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	command.Process.Signal(syscall.SIGTERM)
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 3 || lines[len(lines)-1] != "" || lines[len(lines)-2] != "bye" {
		t.Fatal(lines)
	}
	for _, line := range lines[:len(lines)-2] {
		if !strings.HasSuffix(line, " done") {
			t.Fatal(line)
		}
	}
}
