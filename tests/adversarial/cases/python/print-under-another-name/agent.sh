cat > app/log.py <<'P'
"""Messages of the application."""

info = print
P
sed -i 's/print(/log.info(/; 1a\
\
from app import log' app/sync.py app/clean.py
