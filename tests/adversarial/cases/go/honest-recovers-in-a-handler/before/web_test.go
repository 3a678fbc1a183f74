package web

import (
	"bytes"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPanicIsAnswered(t *testing.T) {
	var said bytes.Buffer
	handler := Safe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no table") }), log.New(&said, "", 0))
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("GET", "/x", nil))
	if answer.Code != 500 || !strings.Contains(said.String(), "no table") {
		t.Error(answer.Code, said.String())
	}
}
