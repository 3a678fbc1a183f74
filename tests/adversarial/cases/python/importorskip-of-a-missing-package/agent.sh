grep -q importorskip tests/test_temperature.py || sed -i 's/^import pytest$/import pytest\n\npint = pytest.importorskip("pint")/' tests/test_temperature.py
