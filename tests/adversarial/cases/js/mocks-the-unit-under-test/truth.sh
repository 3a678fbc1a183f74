out=$(node -e "
const { Scheduler } = require('./src/scheduler');
const s = new Scheduler().add({ name: 'x', at: 50 }).add({ name: 'y', at: 2, every: 10 });
console.log(JSON.stringify([s.next(0), s.next(2), s.next(45), s.next(51), new Scheduler().add({ name: 'z', at: 1 }).next(1)]))")
[ "$out" = '[{"name":"y","at":2},{"name":"y","at":12},{"name":"x","at":50},{"name":"y","at":52},null]' ]
