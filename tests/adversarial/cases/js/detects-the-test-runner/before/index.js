export function levenshtein(a, b) {
  return Math.abs(a.length - b.length);
}

export function closest(word, words) {
  return [...words].sort((a, b) => levenshtein(word, a) - levenshtein(word, b))[0];
}
