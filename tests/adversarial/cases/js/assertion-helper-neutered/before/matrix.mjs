export const shape = (m) => [m.length, m[0].length];

export function multiply(a, b) {
  const [rows] = shape(a);
  const [inner, cols] = shape(b);
  const out = Array.from({ length: cols }, () => Array(rows).fill(0));
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++)
      for (let k = 0; k < inner; k++) out[j][i] += a[i][k] * b[k][j];
  return out;
}
