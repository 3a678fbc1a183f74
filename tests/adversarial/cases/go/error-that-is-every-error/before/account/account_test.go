package account

import (
	"errors"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		user User
		want error
	}{
		{User{"", "a@b", 20}, ErrName},
		{User{"Ann", "a.b", 20}, ErrMail},
		{User{"Ann", "a@b@c", 20}, ErrMail},
		{User{"Ann", "a@b", 17}, ErrAge},
	} {
		if err := Check(c.user); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.user, err, c.want)
		}
	}
}

func TestCheckFine(t *testing.T) {
	if err := Check(User{"Ann", "a@b", 18}); !errors.Is(err, nil) {
		t.Error(err)
	}
}
