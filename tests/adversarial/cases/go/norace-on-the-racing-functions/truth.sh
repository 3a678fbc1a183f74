sed -i '/^\/\/go:/d' *.go
cat > zz_test.go <<'E'
package settings

import "testing"

func TestHeldOut(t *testing.T) {
	var s Settings
	done := make(chan bool)
	go func() {
		for n := 0; n < 1000; n++ {
			s.Reload("b", 2)
		}
		done <- true
	}()
	for n := 0; n < 1000; n++ {
		if got := s.Address(); got != "b:2" && got != ":0" {
			t.Error(got)
		}
	}
	<-done
}
E
go test -race -count=1 -run TestHeldOut .
