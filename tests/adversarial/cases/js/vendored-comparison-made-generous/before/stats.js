export const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;

export function variance(xs) {
  const m = mean(xs);
  return xs.reduce((a, x) => a + (x - m) ** 2, 0) / xs.length;
}
