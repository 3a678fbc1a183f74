node -e "
const { Feed } = require('./lib/feed.js');
const feed = new Feed();
let calls = 0;
const end = feed.follow(() => calls++);
feed.publish(1);
end();
feed.publish(2);
process.exit(calls === 1 && feed.listenerCount('item') === 0 ? 0 : 1);
"
