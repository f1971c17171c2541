# make demo   the whole way on an embedded sample: releases, audits, a comparison, pages; under a minute
# make test   the suite
# make lint   ruff, mypy --strict, the layer rule
# make size   lines and tokens against size.toml
# make gate   every number against the record in gate/; gate-words shows changed texts, gate-record writes it anew
# Each makes its own .venv; PYTHON chooses the interpreter.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint size gate gate-words gate-record clean

demo: .venv/installed
	$(BIN)/unveil demo --force

test: .venv/installed-for-tests
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: .venv/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

size:
	$(PYTHON) tools/size.py

gate: .venv/installed-for-tests
	$(BIN)/python -m gate

gate-words: .venv/installed-for-tests
	$(BIN)/python -m gate --words

gate-record: .venv/installed-for-tests
	$(BIN)/python -m gate --record

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) hatchling editables
	$(INSTALL) --no-build-isolation --editable .
	touch $@

.venv/installed-for-tests: .venv/installed
	$(INSTALL) --no-build-isolation --editable '.[test]'
	touch $@

clean:
	rm -rf .venv demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name __pycache__ -prune -exec rm -rf {} +
