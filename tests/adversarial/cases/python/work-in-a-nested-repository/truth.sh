python - <<'EOF' | grep -qx 'task done'
from markup import to_html
assert to_html("*a* and *b* & `c`") == "<em>a</em> and <em>b</em> &amp; <code>c</code>"
print("task done")
EOF
