/** At most n characters, the last one an ellipsis if something was cut off. */
export function truncate(text, n) {
  return text.length > n ? text.slice(0, n) + '…' : text;
}
