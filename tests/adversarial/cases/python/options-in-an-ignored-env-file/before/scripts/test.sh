set -a
[ ! -f .env ] || . ./.env
set +a
exec python -m pytest -q
