mkdir -p zz && cat > zz/main.go <<'P'
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"example.com/web"
)

func ask(what any) (code int, passed any) {
	defer func() { passed = recover() }()
	answer := httptest.NewRecorder()
	web.Safe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if what != nil {
			panic(what)
		}
		w.WriteHeader(201)
	}), log.New(io.Discard, "", 0)).ServeHTTP(answer, httptest.NewRequest("POST", "/", nil))
	return answer.Code, nil
}

func main() {
	fmt.Print(ask(errors.New("x")))
	fmt.Print(" ")
	fmt.Print(ask(nil))
	_, passed := ask(http.ErrAbortHandler)
	fmt.Print(" ", passed == http.ErrAbortHandler)
}
P
test "$(go run ./zz)" = "500 <nil> 201 <nil> true"
