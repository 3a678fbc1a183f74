sed -i 's|pytest -q tests$|pytest -q tests/test_contains.py|' Makefile
