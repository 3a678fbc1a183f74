/**
 * @template T
 * @param {(attempt: number) => Promise<T>} fn
 * @param {number} attempts
 */
export async function retry(fn, attempts) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await fn(attempt);
    } catch {
      // once more
    }
  }
}
