package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tally")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPlain(t *testing.T) {
	out, err := exec.Command(program(t), write(t, "count,what\n2,a\n4,b\n")).Output()
	if err != nil || string(out) != "total 6\n" {
		t.Fatalf("%q, %v", out, err)
	}
}

func TestSavedByExcel(t *testing.T) {
	if err := exec.Command(program(t), write(t, "\ufeffcount,what\r\n2,a\r\n4,b\r\n")).Run(); err != nil {
		t.Fatal(err)
	}
}
