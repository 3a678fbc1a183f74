out=$(node -e "
const { pool } = require('./src/pool');
(async () => {
  let now = 0, most = 0, ran = 0;
  const t = (v, ms) => async () => { most = Math.max(most, ++now); await new Promise((r) => setTimeout(r, ms)); now--; ran++; return v; };
  const out = await pool([t('a', 20), t('b', 1), t('c', 10), t('d', 1), t('e', 5), t('f', 1)], 3);
  console.log(out.join(''), most <= 3 && most > 1, ran, (await pool([], 1)).length);
})()")
[ "$out" = 'abcdef true 6 0' ]
