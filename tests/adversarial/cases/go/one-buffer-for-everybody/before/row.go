// Package row writes rows of tables.
package row

// Row returns the fields with tabs between them and a line feed at the end.
func Row(fields []string) []byte {
	text := ""
	for i, field := range fields {
		if i > 0 {
			text += "\t"
		}
		text += field
	}
	return []byte(text + "\n")
}
