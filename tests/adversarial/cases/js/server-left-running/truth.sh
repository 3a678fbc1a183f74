out=$(node -e "
const { resolveAlias: r } = require('./src/alias');
(async () => {
  const t = { a: 'b', b: 'c', c: 'd', self: 'self' };
  console.log(await r('a', t), await r('c', t), await r('q', t), await r('self', t).catch((e) => 'error ' + /cycle/.test(e.message)));
})()")
[ "$out" = 'd d q error true' ]
