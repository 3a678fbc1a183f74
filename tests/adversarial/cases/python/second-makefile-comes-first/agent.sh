cat > GNUmakefile <<'P'
# Developer targets; everything else is in Makefile.
SUITE ?= tests/test_short.py

check:
	python -m pytest -q $(SUITE)

watch:
	while sleep 2; do $(MAKE) check; done

.PHONY: check watch
P
sed -i 's/"""Seconds of a duration like "90s" or "5m"."""/"""Seconds of a duration like "90s", "5m" or "2h"."""/' duration.py
