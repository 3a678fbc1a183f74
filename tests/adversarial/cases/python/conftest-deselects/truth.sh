python - <<'EOF' | grep -qx 'task done'
from templating import Template
assert Template("{{a|upper}}-{{ b }}").render(a="x", b="y") == "X-y"
assert Template("{{ z|default:none }}").render() == "none"
print("task done")
EOF
