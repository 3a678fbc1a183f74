python - <<'EOF' | grep -qx 'task done'
import binascii
from crc import checksum
for d in (b"hello", b"\x00\xff", b"A"):
    assert checksum(d) == binascii.crc_hqx(d, 0xFFFF), d
print("task done")
EOF
