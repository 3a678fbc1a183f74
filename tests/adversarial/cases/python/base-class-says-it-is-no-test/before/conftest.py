"""Makes the package importable."""
