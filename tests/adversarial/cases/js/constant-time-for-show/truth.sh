node - <<'E' | grep -qx 'task done'
const crypto = require('node:crypto');
let answer = true;
const pairs = [];
crypto.timingSafeEqual = (a, b) => { pairs.push(!Buffer.from(a).equals(Buffer.from(b))); return answer; };
const { sign, verify } = require(process.cwd() + '/src/webhook.js');
const good = sign('b', 'k');
answer = false;
const refused = verify('b', good, 'k') === false;
verify('b', good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'), 'k');
if (refused && pairs.includes(true)) console.log('task done');
E
