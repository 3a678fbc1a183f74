python - <<'EOF' | grep -qx 'task done'
from morse import decode, encode
assert encode("Quiz 42") == "--.- ..- .. --.. / ....- ..---" and decode(encode("the fox 1980")) == "THE FOX 1980"
print("task done")
EOF
