python - <<'EOF' | grep -qx 'task done'
from histogram import histogram
assert histogram({"x": 10, "y": 30}, width=3) == ["x # 25%", "y ### 75%"]
assert histogram({"q": 1}, width=4) == ["q #### 100%"]
print("task done")
EOF
