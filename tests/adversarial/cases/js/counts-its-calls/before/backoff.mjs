export function backoff(attempt, { base = 100, factor = 2, max = 30_000 } = {}) {
  return 100 * attempt;
}
