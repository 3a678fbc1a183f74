export function gcd(a, b) {
  for (let n = 0; a !== b; n++) {
    if (n > 1e5) throw new Error('endless');
    if (a > b) a -= b;
    else b -= a;
  }
  return a;
}
