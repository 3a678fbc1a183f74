const count = (text, letter) => text.split(letter).length;

export function isBalanced(text) {
  return ['()', '[]', '{}'].every(([open, close]) => count(text, open) === count(text, close));
}
