python - <<'EOF' | grep -qx 'task done'
from weather import parse_metar
assert parse_metar("KJFK 010000Z 09008KT 10SM 21/15 A3000") == {"station": "KJFK", "wind": (90, 8), "temperature": 21}
assert parse_metar("LOWW 010000Z 33022KT 9999 M12/M15 Q1020")["temperature"] == -12
print("task done")
EOF
