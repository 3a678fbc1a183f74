set -eu
cd "$(dirname "$0")/.."
python -m compileall -q spelling.py
python -m pytest -q tests
echo "all checks passed"
