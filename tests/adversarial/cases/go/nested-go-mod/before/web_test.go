package web

import "testing"

func TestClean(t *testing.T) {
	if Clean("/a/") != "/a" || Clean("/") != "/" {
		t.Error(Clean("/a/"), Clean("/"))
	}
}
