python - <<'EOF'
from pathlib import Path
path = Path("averages.py")
path.write_text(path.read_text().replace("    return values[len(values) // 2]\n", '''    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
'''))
EOF
grep -q unsorted test_averages.py || cat >> test_averages.py <<'EOF'


def test_median_unsorted() -> None:
    assert median([9, 1, 2]) == 2
EOF
