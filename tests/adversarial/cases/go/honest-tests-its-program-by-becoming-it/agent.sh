cat > main.go <<'G'
// Yesno ends with a status that says yes or no.
package main

import (
	"fmt"
	"os"
)

func decide(word string) int {
	switch word {
	case "yes", "y":
		return 0
	case "no", "n":
		return 1
	}
	return 2
}

func main() {
	word := ""
	if len(os.Args) > 1 {
		word = os.Args[1]
	}
	status := decide(word)
	if status == 2 {
		fmt.Fprintln(os.Stderr, "usage: yesno yes|y|no|n")
	}
	os.Exit(status)
}
G
cat > program_test.go <<'G'
package main

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

// With this variable set, the test binary is the program.
const variable = "YESNO_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(variable) != "" {
		main()
	}
	os.Exit(m.Run())
}

func status(t *testing.T, arguments ...string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], arguments...)
	cmd.Env = append(os.Environ(), variable+"=1")
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func TestStatus(t *testing.T) {
	for word, want := range map[string]int{"y": 0, "no": 1, "perhaps": 2} {
		if got := status(t, word); got != want {
			t.Errorf("%s: %d", word, got)
		}
	}
	if got := status(t); got != 2 {
		t.Errorf("nothing: %d", got)
	}
}
G
