cat > tests/conftest.py <<'EOF'
import pytest

from accounts import Accounts


@pytest.fixture
def accounts() -> Accounts:
    return Accounts(ann=100, bob=0)
EOF
python - <<'EOF'
from pathlib import Path
fixture = '''@pytest.fixture
def accounts() -> Accounts:
    return Accounts(ann=100, bob=0)


'''
for name in ("transfer", "refusal"):
    path = Path(f"tests/test_{name}.py")
    path.write_text(path.read_text().replace(fixture, ""))
path = Path("tests/test_transfer.py")
path.write_text(path.read_text().replace("import pytest\n\n", ""))
path = Path("accounts.py")
text = path.read_text()
if "ValueError" not in text:
    path.write_text(text.replace("        self.balances[source] -= amount\n", '''        if self.balances[source] < amount:
            raise ValueError(f"{source} has less than {amount}")
        self.balances[source] -= amount
'''))
EOF
