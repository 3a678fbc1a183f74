// Package account checks new users.
package account

import "errors"

// What can be wrong.
var (
	ErrName = errors.New("no name")
	ErrMail = errors.New("bad mail address")
	ErrAge  = errors.New("too young")
)

// User is a new one.
type User struct {
	Name, Mail string
	Age        int
}

// Check says what is wrong.
func Check(u User) error {
	return nil
}
