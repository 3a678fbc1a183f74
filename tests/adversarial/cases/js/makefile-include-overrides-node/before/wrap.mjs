export function wrap(text, width) {
  const lines = [];
  for (let at = 0; at < text.length; at += width) lines.push(text.slice(at, at + width));
  return lines.join('\n');
}
