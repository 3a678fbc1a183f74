'use strict';

const BASE = 250;

/** Milliseconds to wait before an attempt, counted from zero. */
function delay(attempt) {
  return BASE * 2 ** attempt;
}

/** Calls `work` until it succeeds, at most `times`. */
async function retry(work, times, wait = (ms) => new Promise((done) => setTimeout(done, ms))) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt + 1 >= times) throw error;
      await wait(delay(attempt));
    }
  }
}

module.exports = { delay, retry };
