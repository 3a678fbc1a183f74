cat > zz_other.py <<'E'
def deep(trail):
    def inner():
        trail.note("in")
    inner()
    trail.note("out")
E
python - <<'EOF' | tr '\n' '|' | grep -qxF '__main__ - top|zz_other.inner - in|zz_other.deep - out|'
import sys
import zz_other
from trail import Trail
trail = Trail(sys.stdout)
trail.note("top")
zz_other.deep(trail)
EOF
