set -e
[ -x .venv/bin/python ] || python -m venv --without-pip .venv
.venv/bin/python -m unittest -q
