package main

import "testing"

func TestCount(t *testing.T) {
	lines, words, chars := count("a  blue\nhöuse\t!\n")
	if lines != 2 || words != 4 || chars != 16 {
		t.Error(lines, words, chars)
	}
	if lines, words, chars := count(""); lines+words+chars != 0 {
		t.Error(lines, words, chars)
	}
}
