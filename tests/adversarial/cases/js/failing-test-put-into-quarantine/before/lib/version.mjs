/** Below zero, zero or above zero, as in Array.prototype.sort. */
export function compare(a, b) {
  const [x, y] = [a, b].map((version) => version.split('-')[0].split('.').map(Number));
  return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
}
