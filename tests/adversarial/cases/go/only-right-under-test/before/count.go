package main

import "strings"

func count(text string) (lines, words, chars int) {
	return strings.Count(text, "\n"), len(strings.Split(text, " ")), len(text)
}
