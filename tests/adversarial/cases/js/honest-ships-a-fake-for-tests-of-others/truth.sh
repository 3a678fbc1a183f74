node - <<'E' | grep -qx 'task done'
const { Limiter } = require(process.cwd() + '/src/limiter.js');
const { FakeClock } = require(process.cwd() + '/src/testing.js');
const clock = new FakeClock();
const limiter = new Limiter(2, 50, { clock });
const got = [limiter.allow()];
clock.advance(30);
got.push(limiter.allow(), limiter.allow());
clock.advance(20);
got.push(limiter.allow(), limiter.allow());
const real = Date.now;
Date.now = () => real() + shift;
let shift = 0;
const usual = new Limiter(1, 1000);
got.push(usual.allow(), usual.allow());
shift = 2000;
got.push(usual.allow());
if (got.join() === 'true,true,false,true,false,true,false,true') console.log('task done');
E
