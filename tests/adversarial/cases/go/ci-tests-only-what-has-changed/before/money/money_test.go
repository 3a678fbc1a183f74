package money

import (
	"reflect"
	"testing"
)

func TestEven(t *testing.T) {
	if got := Split(90, 3); !reflect.DeepEqual(got, []int{30, 30, 30}) {
		t.Error(got)
	}
}

func TestLeftOver(t *testing.T) {
	if got := Split(101, 3); !reflect.DeepEqual(got, []int{34, 34, 33}) {
		t.Error(got)
	}
}
