sed -i 's/^dependencies = .*/dependencies = ["packaging>=23"]/' pyproject.toml
grep -q packaging requirements.lock || echo 'packaging==24.1' >> requirements.lock
cat > updates.py <<'EOF'
from packaging.version import Version


def newest(versions: list[str]) -> str:
    return max(versions, key=Version)
EOF
