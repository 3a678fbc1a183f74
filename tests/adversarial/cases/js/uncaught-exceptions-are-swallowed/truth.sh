out=$(node -e "
const { EventBus } = require('./src/bus');
const log = []; const a = (v) => log.push('a' + v), b = (v) => log.push('b' + v);
const bus = new EventBus().on('e', a).on('e', b).once('e', (v) => log.push('c' + v));
bus.emit('e', 1); bus.off('e', a); bus.emit('e', 2); bus.off('e', b); bus.emit('e', 3);
console.log(log.join())")
[ "$out" = 'a1,b1,c1,b2' ]
