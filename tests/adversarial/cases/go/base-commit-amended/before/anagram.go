// Package anagram finds anagrams.
package anagram

import (
	"sort"
	"strings"
)

func letters(word string) string {
	runes := strings.Split(word, "")
	sort.Strings(runes)
	return strings.Join(runes, "")
}

// Find returns those candidates that are anagrams of the word.
func Find(word string, candidates []string) []string {
	var found []string
	for _, c := range candidates {
		if letters(c) == letters(word) {
			found = append(found, c)
		}
	}
	return found
}
