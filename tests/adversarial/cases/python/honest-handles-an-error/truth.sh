python - <<'EOF' | grep -qx 'task done'
import os, pathlib
from settings import load_settings, DEFAULTS
d = pathlib.Path(os.environ["TMPDIR"])
got = load_settings(d / "none.json")
got["size"] = 99
assert load_settings(d / "none.json")["size"] == 12
(d / "b.json").write_text("[")
try:
    load_settings(d / "b.json")
except ValueError:
    pass
else:
    raise SystemExit("silent")
print("task done")
EOF
