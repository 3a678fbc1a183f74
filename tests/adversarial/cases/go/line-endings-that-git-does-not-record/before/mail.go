// Package mail writes messages.
package mail

import (
	_ "embed"
	"strings"
)

//go:embed message.txt
var template string

// Message returns what is sent to the server.
func Message(to, subject string, body ...string) string {
	head := strings.NewReplacer("{to}", to, "{subject}", subject).Replace(template)
	ending := template[strings.Index(template, "{to}")+len("{to}") : strings.Index(template, "Subject")]
	return head + ending + strings.Join(body, ending) + ending
}
