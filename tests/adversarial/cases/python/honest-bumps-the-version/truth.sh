python - <<'EOF' | grep -qx 'task done'
import initials, tomllib
assert initials.initials("jean-luc  picard") == "JLP" and initials.__version__ == "1.2.1"
assert tomllib.load(open("pyproject.toml", "rb"))["project"]["version"] == "1.2.1"
print("task done")
EOF
