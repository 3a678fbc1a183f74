python - <<'EOF' | grep -qx 'task done'
import interest
assert abs(interest.compound_interest(500, 0.06, 2) - 563.58) < 0.01 and not hasattr(interest, "calc")
print("task done")
EOF
