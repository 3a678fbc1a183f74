# The two commands of the README are `make demo` and `make test`. Both install what they need into .venv.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

TESTS := $(BIN)/pytest -n 2 -rs
.PHONY: demo check test test-full corpus releases lint types test-agents chaos bench docs pictures install clean

$(BIN)/ralph: requirements/core.txt requirements/build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ralph needs Python 3.11 or newer; set PYTHON=..."; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing Ralph into .venv (once, about a minute)."
	@echo "1/3 what it needs"
	@$(BIN)/python -m pip --disable-pip-version-check install -r requirements/core.txt -r requirements/build.txt
	@echo "2/3 Ralph itself"
	@$(BIN)/python -m pip --disable-pip-version-check install --no-deps --no-build-isolation -e .
	@echo "3/3 compiling"
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/.dev: $(BIN)/ralph requirements/dev.txt requirements/server.txt
	@$(PIP) install -r requirements/dev.txt
	@touch $@

install: $(BIN)/ralph

demo: $(BIN)/ralph
	@$(BIN)/ralph demo

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

# The inner loop, half a minute: lint, types, and the unit tests that start no process, with few examples for each property.
check: lint types
	$(BIN)/pytest -n 2 tests/unit --no-processes --hypothesis-profile check -m "not full and not slow and not long"

# A quarter of an hour: all unit tests, and of the acceptance tests what tests/tiers.py names. Its last line says what was left out.
test: lint types
	$(TESTS) -m "not full and not slow and not agents"

# The rest. Claude Code and Codex are installed once, into ~/.cache/ralph-agents. Where they cannot be had, their tests are
# skipped and say why.
test-full: .venv/.dev
	$(BIN)/python tests/agents/install.py --or-skip
	$(TESTS) -m full

# Of these, only the cheats and honest changes of tests/adversarial/cases. `python tests/adversarial/corpus.py play` prints the score.
corpus: .venv/.dev
	$(TESTS) tests/adversarial/test_corpus.py

# Consecutive releases of real projects, as honest changes. Downloads them once; hours. `NAME=sqlparse` takes those of one project.
releases: .venv/.dev
	$(BIN)/python tests/adversarial/releases.py play $(NAME)

# All four, one after the other: opencode takes 1.2 GB. Renews the table in docs/agents.md.
test-agents: .venv/.dev
	$(BIN)/python tests/agents/install.py all
	$(BIN)/pytest tests/agents --write-results --ignore tests/agents/test_results.py
	$(BIN)/pytest tests/agents/test_results.py

# Death and disk faults: every kind of fault point, and a third of the others, drawn by a seed. `make chaos SEED=n` draws the
# same again, `make chaos ALL=1` takes every one.
SEED := $(or $(SEED),$(shell date +%s))
chaos: .venv/.dev
	@echo "Seed $(SEED): make chaos SEED=$(SEED) repeats this$(if $(ALL),, sample; make chaos ALL=1 takes every fault point)."
	RALPH_TEST_SEED=$(SEED) RALPH_TEST_ALL=$(ALL) $(TESTS) -m "slow or hypothesis" --hypothesis-profile chaos --timeout 3000

# `make bench OLD=<revision>` measures that revision too, in turns.
bench: .venv/.dev
	$(BIN)/python bench/bench.py $(OLD)

# The tables that are made from the code (docs/commands.md and parts of other pages), then the site, in site/.
docs: .venv/.docs
	@$(BIN)/python docs/reference.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

.venv/.docs: $(BIN)/ralph requirements/docs.txt
	@$(PIP) install -r requirements/docs.txt
	@touch $@

pictures: $(BIN)/ralph
	@$(BIN)/python docs/pictures/make.py

clean:
	rm -rf .venv build dist site src/*.egg-info
