// Package confdir knows where configurations are.
package confdir

// Dir is the folder of the program's configuration.
func Dir(name string) string { return "/etc/" + name }
