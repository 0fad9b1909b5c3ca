# Two commands do everything: `make demo` (set-up and main job) and `make test` (set-up, lint, types, tests).
PYTHON ?= python3.11
BIN := .venv/bin
SHELL := /bin/bash
# Compiled modules are kept: every test that starts a process would compile all of claimwise again.
export PYTHONDONTWRITEBYTECODE =
# Two processes; one that is done takes tests from the other.
IN_TWO := -n 2 --dist worksteal

# Further distributions, which use only the public API of claimwise; `make demo` does without them.
PACKAGES := packages/claimwise-summarize

# Tools that pin libraries against each other: the tests of each run in an environment of its own.
TOOLS := deepeval inspect lighteval mlflow ray torchmetrics

.PHONY: demo test quick-tests test-all all-tests browser test-tools test-extras test-oldest lint dist spaces spaces-test screenshots recordings docs train bench clean

demo: .venv/installed
	$(BIN)/claimwise demo

# Lint and types beside the tests. What is marked `slow` is left to `make test-all`.
test: .venv/packages browser
	@$(MAKE) --no-print-directory --jobs=2 lint quick-tests

quick-tests: .venv/packages
	$(BIN)/python -m pytest -m "not slow" $(IN_TWO)

test-all: .venv/packages browser
	@$(MAKE) --no-print-directory --jobs=2 lint all-tests
	$(MAKE) test-tools

all-tests: .venv/packages
	HYPOTHESIS_PROFILE=large $(BIN)/python -m pytest $(IN_TWO)

# The browser of the tests: Debian's Chromium is installed where there is none.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
		as=$$([ "$$(id -u)" = 0 ] || echo sudo); $$as apt-get update --quiet=2 && \
		$$as apt-get install --yes --quiet=2 --no-install-recommends chromium fonts-noto-color-emoji; } || \
		echo "There is no Chromium, and it could not be installed: the tests in a browser are skipped."

# The adapters and runners with the real tools, and their examples in docs/integrations.md and docs/scale.md.
test-tools: $(TOOLS:%=.venv-%/installed)
	set -e; for tool in $(TOOLS); do \
		tests=tests/integrations/test_$${tool/inspect/inspect_ai}.py examples=integrations-python; \
		if [ $$tool = ray ]; then \
			tests="tests/unit/runners/test_ray_runner.py tests/reliability/test_runs_on_ray.py" examples=scale-python; \
		fi; \
		.venv-$$tool/bin/python -m pytest $$tests; \
		.venv-$$tool/bin/python -m pytest tests/packaging/test_docs.py -k $$examples; done

# Every extra of the wheel in a fresh environment: it installs, it is imported, a score comes out. Gigabytes.
test-extras: .venv/packages
	CLAIMWISE_TEST_EXTRAS=1 $(BIN)/python -m pytest tests/packaging/test_extras.py

# What is released: sdists and wheels into dist/, and what `pip install claimwise` brings into bill-of-materials/.
dist: .venv-release/installed
	rm -rf dist bill-of-materials
	for folder in . $(PACKAGES); do .venv-release/bin/python -m build --outdir dist $$folder || exit; done
	.venv-release/bin/twine check --strict dist/*
	$(PYTHON) -m venv --clear --without-pip .venv-wheel
	.venv-release/bin/pip --python .venv-wheel install --quiet --constraint constraints.txt dist/claimwise-*.whl
	rm .venv-wheel/lib/python*/site-packages/claimwise-*/direct_url.json  # the path of the wheel on this machine
	cd .venv-wheel && bin/claimwise demo  # which writes a page where it is
	mkdir bill-of-materials
	.venv-release/bin/cyclonedx-py environment --output-reproducible --gather-license-texts \
		--output-file bill-of-materials/claimwise.cdx.json .venv-wheel/bin/python

# The tests with the oldest versions that setup.cfg allows, torch aside: its CPU build is that of constraints.txt.
test-oldest: .venv-oldest/installed
	.venv-oldest/bin/python -m pytest -m "not slow" --ignore tests/apps/test_spaces_in_browser.py \
		--ignore tests/packaging/test_docs.py --ignore tests/packaging/test_site.py

lint: .venv/packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The folders of the Spaces, made of the metrics' cards.
spaces: .venv/packages
	$(BIN)/python tools/hub.py spaces

# Every page in a real browser.
spaces-test: .venv/packages browser
	$(BIN)/python -m pytest tests/apps/test_spaces.py tests/apps/test_spaces_in_browser.py

# Pictures of the pages: those that the documents show, into docs/screenshots/; with INTO=FOLDER all of them.
screenshots: .venv/packages browser
	$(BIN)/python tools/screenshots.py $(INTO)

# The outputs of the notebook and the picture of the terminal in the README, made by running them.
recordings: .venv/packages
	$(BIN)/python examples/run.py
	$(BIN)/python tools/terminal.py

# The documentation site, into site/; a warning is an error.
docs: .venv/packages
	$(BIN)/mkdocs build --strict

# Quality and speed; needs CLAIMWISE_DATA and an idle machine.
bench: .venv/packages
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m benchmarks.quality.decomposition
	$(BIN)/python -m benchmarks.speed.metrics
	$(BIN)/python -m benchmarks.speed.engine
	$(BIN)/python -m benchmarks.speed.scale
	$(BIN)/python -m benchmarks.speed.remote
	$(BIN)/python -m benchmarks.speed.first_score

# Retrains the embedded NLI model; needs CLAIMWISE_DATA (see training/judge/README.md).
train: .venv/packages
	$(BIN)/python training/judge/run.py $(BF16)

.venv/installed: setup.cfg pyproject.toml constraints.txt
	@echo "Installing claimwise and what it needs into .venv: less than a minute, once."
	$(PYTHON) -m venv .venv || python3 -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	@echo "Installed: $$(du -sh .venv | cut -f1)."
	touch $@

.venv/packages: .venv/installed $(PACKAGES:%=%/setup.cfg)
	@echo "Installing what the tests need, PyTorch too: a minute or two, once."
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/pip install --quiet --no-deps $(PACKAGES:%=--editable %)
	touch $@

.venv-oldest/installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-oldest
	{ sed -n 's/^    \([A-Za-z0-9_-]*\)>=/\1==/p' setup.cfg | grep -v '^torch==' | awk -F== '!seen[$$1]++'; grep '^torch==' constraints.txt; } \
		> .venv-oldest/constraints.txt
	.venv-oldest/bin/pip install --quiet --constraint .venv-oldest/constraints.txt --editable '.[all,export]' \
		build hypothesis pandas pytest $(PACKAGES:%=--editable %)
	touch $@

.venv-release/installed: Makefile
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/pip install --quiet 'build>=1.6' 'twine>=7.0' 'cyclonedx-bom>=7.5'
	touch $@

.venv-%/installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/pip install --quiet "$$(grep '^torch==' constraints.txt)" --editable '.[$*,pandas,plots]' \
		hypothesis pytest pyyaml
	touch $@

clean:
	rm -rf .venv .venv-* build packages/*/build dist bill-of-materials site .mypy_cache .ruff_cache .pytest_cache .hypothesis
