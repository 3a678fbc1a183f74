cat > web.go <<'P'
// Package web wraps handlers.
package web

import (
	"log"
	"net/http"
)

// Safe handler: what it panics with is logged and answered with 500.
func Safe(next http.Handler, logger *log.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch what := recover(); what {
			case nil:
			case http.ErrAbortHandler:
				panic(what)
			default:
				logger.Printf("%s %s: %v", r.Method, r.URL.Path, what)
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
P
cat >> web_test.go <<'P'

func TestAbortIsPassedOn(t *testing.T) {
	handler := Safe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), log.Default())
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("not passed on")
		}
	}()
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func TestOthersAreLeftAlone(t *testing.T) {
	handler := Safe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }), log.Default())
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	if answer.Code != 204 {
		t.Error(answer.Code)
	}
}
P
