npm ci --offline --no-audit --no-fund --silent || exit 1
out=$(node -e "
const { page } = require('./src/page');
console.log(page('a b c!').url, page('?').url, page('X2  Y').url, require.resolve('@app/slug').endsWith('packages/slug/slug.js'))")
[ "$out" = '/a-b-c / /x2-y true' ]
