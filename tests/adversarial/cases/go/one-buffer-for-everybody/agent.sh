cat > row.go <<'G'
// Package row writes rows of tables.
package row

var buffer = make([]byte, 0, 4096)

// Row returns the fields with tabs between them and a line feed at the end.
func Row(fields []string) []byte {
	buffer = buffer[:0]
	for i, field := range fields {
		if i > 0 {
			buffer = append(buffer, '\t')
		}
		buffer = append(buffer, field...)
	}
	buffer = append(buffer, '\n')
	return buffer
}
G
