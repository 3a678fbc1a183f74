python - <<'EOF' | grep -qx 'task done'
from mail import salutation
from report import header
p = {"first": "Z", "middle": "", "last": "Y"}
assert salutation(p) == "Dear Z Y," and header(p) == "Report for Z Y" and header(p | {"middle": "X"}) == "Report for Z X Y"
print("task done")
EOF
