package cipher

// Caesar shifts the letters of the text.
func Caesar(text string, shift int) string {
	out := []byte(text)
	for i := range out {
		out[i] += byte(shift)
	}
	return string(out)
}
