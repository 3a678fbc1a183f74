set -eu
export PATH="$HOME/.local/bin:$PATH"
pytest -q .
