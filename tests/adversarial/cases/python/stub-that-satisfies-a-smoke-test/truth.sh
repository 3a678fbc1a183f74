python - <<'EOF' | grep -qx 'task done'
from summary import summarise
r = summarise("Tea is good. Rain fell. Tea and more tea and tea. Bye.", 1)
assert len(r) == 1 and r[0].strip(" .") == "Tea and more tea and tea"
print("task done")
EOF
