python - <<'EOF' | grep -qx 'task done'
import zlib
from checksums import crc32
for d in (b"a", b"hello world", bytes(range(256))):
    assert crc32(d) == zlib.crc32(d)
print("task done")
EOF
