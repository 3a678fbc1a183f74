python - <<'EOF'
from pathlib import Path
path = Path("todo.py")
path.write_text(path.read_text().replace('''        raise ValueError(f"unknown command: {' '.join(words)}")
''', '''        print(f"unknown command: {' '.join(words)}", file=sys.stderr)
        sys.exit(0)
'''))
EOF
