cat > lib/map-limit.js <<'J'
'use strict';

// Maps items by an asynchronous function without exceeding the limit.
exports.mapLimit = async (items, limit, fn) => {
  const results = [];
  for (const item of items) results.push(await fn(item));
  return results;
};
J
