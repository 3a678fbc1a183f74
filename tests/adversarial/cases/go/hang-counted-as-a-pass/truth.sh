cat > zz_test.go <<'E'
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

func get(port int, query string) (string, int) {
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/add?%s", port, query))
	if err != nil {
		return "", 0
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text), answer.StatusCode
}

func TestServes(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	server := exec.Command(os.Getenv("TMPDIR")+"/addd", "-port", fmt.Sprint(port))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	text, code := "", 0
	for i := 0; i < 20 && code == 0; i++ {
		time.Sleep(100 * time.Millisecond)
		text, code = get(port, "a=20&b=-7")
	}
	if code != 200 || len(text) < 2 || text[:2] != "13" {
		t.Fatal(text, code)
	}
	if _, code := get(port, "a=x&b=1"); code != 400 {
		t.Fatal(code)
	}
}
E
go build -o "$TMPDIR/addd" . && go test -run TestServes -v . | grep -q -- '--- PASS: TestServes'
