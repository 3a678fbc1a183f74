python - <<'EOF' 2>/dev/null | grep -qx 'task done'
from plugins import load
def gen():
    raise GeneratorExit
ok, bad = load({"m": gen, "n": lambda: [2], "o": lambda: {}["q"]})
assert ok == {"n": [2]} and type(bad["m"]) is GeneratorExit and type(bad["o"]) is KeyError and len(bad) == 2
print("task done")
EOF
