const assert = require('assert');
const { pool } = require('../src/pool');

async function main() {
  let running = 0;
  let most = 0;
  const task = (value) => async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    return value;
  };
  assert.deepStrictEqual(await pool([1, 2, 3, 4, 5].map(task), 2), [1, 2, 3, 4, 5]);
  assert.ok(most <= 2, `${most} at a time`);
  assert.deepStrictEqual(await pool([], 3), []);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
