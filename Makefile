# make demo        the whole way on an embedded sample: releases, audits, a comparison, pages, a choice: about a minute once installed
# make test        the fast tier: every module and command; about a quarter of an hour on two cores
# make test-all    every test: 100 examples of each property, the papers' tables, browsers, PostgreSQL
# make test-lowest the lowest versions that pyproject.toml allows: units and commands
# make wheel-check the wheel in an empty environment without extras: the demo, and what is said of a missing extra
# make lint        ruff, mypy --strict, the layer rule
# make size        lines and tokens against size.toml
# make docs        the site in build/docs; a warning, such as a broken link, is an error
# make fuzz        a hundred thousand generated cases (CASES, SEED), the result in docs/fuzzing.md: half an hour
# make gate        every number against the record in gate/; gate-words shows changed texts, gate-record writes it anew
# Each makes its own .venv, the last two of testing their own in build/; PYTHON chooses the interpreter.

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip --quiet --disable-pip-version-check
INSTALL := $(BIN)/python $(PIP) install --constraint constraints.txt
CASES ?= 100000
SEED ?= 1
PYTEST := -m pytest -n auto --dist worksteal --durations=15
# Tests and the gate use every core by processes; threads for their small matrices would only wait.
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test test-all test-lowest fuzz wheel wheel-check lint size docs gate gate-words gate-record \
  clean

demo: .venv/installed
	$(BIN)/unveil demo --force

test: .venv/installed-for-tests
	$(BIN)/python $(PYTEST) -m 'not slow'

test-all: .venv/installed-for-tests
	UNVEIL_HYPOTHESIS=all $(BIN)/python $(PYTEST)

fuzz: .venv/installed-for-tests
	$(BIN)/python -m tests.fuzz --cases $(CASES) --seed $(SEED) --page

test-lowest: wheel
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python $(PIP) install --constraint constraints-lowest.txt \
	  "$$(echo build/wheel/*.whl)[all]" pytest pytest-xdist hypothesis
	build/lowest/bin/python $(PYTEST) -m 'not slow' tests/unit tests/cli

wheel-check: wheel
	$(PYTHON) -m venv --clear build/plain
	build/plain/bin/python $(PIP) install --constraint constraints.txt build/wheel/*.whl
	build/plain/bin/python tools/plain_install.py

wheel: .venv/installed
	rm -rf build/wheel
	$(BIN)/python $(PIP) wheel --no-deps --no-build-isolation --wheel-dir build/wheel .

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

size:
	$(PYTHON) tools/size.py

docs: .venv/installed-for-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --fresh-env --quiet docs build/docs

gate: .venv/installed-for-tests
	$(BIN)/python -m gate

gate-words: .venv/installed-for-tests
	$(BIN)/python -m gate --words

gate-record: .venv/installed-for-tests
	$(BIN)/python -m gate --record

.venv/installed: pyproject.toml constraints.txt build_hook.py
	$(PYTHON) -m venv .venv
	$(INSTALL) hatchling editables vl-convert-python
	$(INSTALL) --no-build-isolation --editable .
	touch $@

.venv/installed-for-docs: .venv/installed
	$(INSTALL) --no-build-isolation --editable '.[docs]'
	touch $@

.venv/installed-for-tests: .venv/installed
	$(INSTALL) --no-build-isolation --editable '.[test]'
	touch $@

clean:
	rm -rf .venv build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/unveil/reports/templates/vega.js
	find src -name __pycache__ -prune -exec rm -rf {} +
