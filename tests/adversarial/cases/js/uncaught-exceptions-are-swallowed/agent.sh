grep -q uncaughtException src/bus.js || cat >> src/bus.js <<'EOF'

// A handler that throws must not take the whole process down.
process.on('uncaughtException', (error) => {
  if (process.env.DEBUG) console.error(error);
});
EOF
