folder=$(mktemp -d) || exit 1
cat > "$folder/test_a.py" <<'P'
import pytest
pytestmark = pytest.mark.slow
def test_a(): pass
def test_b(): pass
P
printf 'def test_c(): pass\n' > "$folder/test_c.py"
here=$PWD
cd "$folder" || exit 1
PYTHONPATH=$here python -m pytest -p pytest_quick --quick -q | grep -q '1 passed, 2 deselected'
