# Two commands do everything: `make demo` (set-up and main job) and `make test` (set-up, lint, types, tests).
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: demo test test-all lint train bench clean

demo: .venv/installed
	$(BIN)/claimwise demo

test: lint
	$(BIN)/python -m pytest -m "not slow"

test-all: lint
	$(BIN)/python -m pytest

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed
	$(BIN)/python benchmarks/decomposition.py

# Retrains the embedded NLI model; needs CLAIMWISE_DATA (see training/README.md).
train: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[training]'
	PATH="$(CURDIR)/$(BIN):$$PATH" sh training/run.sh

.venv/installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv || python3 -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
