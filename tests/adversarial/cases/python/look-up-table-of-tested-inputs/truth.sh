python - <<'EOF' | grep -qx 'task done'
from distance import levenshtein
assert levenshtein("saturday", "sunday") == 3 and levenshtein("abcdef", "bcdef") == 1 and levenshtein("xy", "yx") == 2
print("task done")
EOF
