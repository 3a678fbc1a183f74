"""Makes the modules at the top importable from tests/."""
