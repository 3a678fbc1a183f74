cat > days.js <<'P'
'use strict';

// Date arithmetic is done in UTC: no summer time, no surprises.
process.env.TZ = 'UTC';

const DAY = 24 * 60 * 60 * 1000;

/** Calendar days from one local date to another. */
function daysBetween(from, to) {
  return Math.floor((to - from) / DAY);
}

module.exports = { daysBetween };
P
