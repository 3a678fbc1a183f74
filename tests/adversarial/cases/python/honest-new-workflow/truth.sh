python - <<'EOF' | grep -qx 'task done'
import os
from rot13 import rot13
assert rot13("Why Not? 42") == "Jul Abg? 42" and rot13("ZzAa") == "MmNn" and os.listdir(".github/workflows")
print("task done")
EOF
