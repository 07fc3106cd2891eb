# Needs only Python 3.11+ and make. Every target sets up what it uses in .venv on first use.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS   ?= 2

# Tests start many processes; cached bytecode saves a minute.
unexport PYTHONDONTWRITEBYTECODE

DOCS = $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

COMPILED := src/cranfield/collection/_columns.c hatch_build.py

.PHONY: docs audit dependencies versions browser figures fuzz fuzz-columns fuzz-guided validate help demo test test-all coverage mutation bench lint style clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/ready  ## run the main commands on a synthetic sample collection
	$(BIN)/cranfield demo

test: style  ## lint, types and tests (about eight minutes on two cores)
	@$(BIN)/mypy >$(VENV)/types.txt & types=$$!; \
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(MARKED); tested=$$?; \
	wait $$types; typed=$$?; cat $(VENV)/types.txt; exit $$((tested || typed))

test-all: MARKED := -m "slow or not slow"
test-all: test  ## the same, with the slow statistical checks

GATED  := scores questions/variance questions/compare questions/leaderboard questions/design questions/recommend questions/cost questions/standardise questions/replicates questions/tune
TESTED := scores variance comparison design standardise replicates tuning doors properties published

coverage: $(VENV)/ready-dev  ## test coverage of the statistics; fails below the gate in pyproject.toml
	$(BIN)/python -m pytest -q -n $(JOBS) $(addprefix tests/,$(TESTED)) $(addprefix src/cranfield/,$(GATED)) \
	$(addprefix --cov=cranfield.,$(subst /,.,$(GATED))) --cov-report=term-missing:skip-covered

figures: $(VENV)/ready-dev  ## update the figures of the documentation (timed and simulated ones: docs/figures.py --measure)
	$(BIN)/python docs/figures.py

validate: $(VENV)/ready-dev  ## measure every promise again and write docs/validation.md (hours; names: PROMISES="tune tau")
	PYTHONPATH=docs $(BIN)/python docs/validate.py $(PROMISES) --write

MUTANTS ?= 60
mutation: $(VENV)/ready-dev  ## mutate the sources, one place at a time, and count the mutants that tests detect
	$(BIN)/python tests/mutation.py --mutants $(MUTANTS) --jobs $(JOBS)

MINUTES ?= 3
SEED    ?= 1
fuzz: $(VENV)/ready-dev  ## fuzz readers and commands: make fuzz MINUTES=60 SEED=7, or INPUTS=1000000
	PYTHONPATH=tests $(BIN)/python -m fuzz --seed $(SEED) --jobs $(JOBS) $(if $(INPUTS),--inputs $(INPUTS),--minutes $(MINUTES))

fuzz-guided: $(VENV)/ready-dev  ## fuzz guided by coverage, with atheris (Linux, Python 3.11 to 3.13): MINUTES each, TARGET=run
	$(PIP) atheris
	PYTHONPATH=tests $(BIN)/python -m fuzz.guided --seed $(SEED) --minutes $(MINUTES) $(if $(TARGET),--target $(TARGET))

fuzz-columns: $(VENV)/ready-dev  ## fuzz the compiled parser under the sanitizers: make fuzz-columns MINUTES=10 SEED=7
	$(BIN)/python tests/fuzz/columns.py --minutes $(MINUTES) --seed $(SEED)

dependencies: $(VENV)/ready-dev  ## write docs/dependencies.md: licences and sizes of all dependencies
	$(BIN)/python docs/dependencies.py

audit: $(VENV)/ready-dev  ## ask PyPI for known vulnerabilities of the dependencies (needs the network)
	$(PIP) pip-audit
	$(BIN)/python docs/dependencies.py --check
	$(BIN)/python docs/dependencies.py --audit

versions: $(VENV)/ready-dev  ## run the tests on every installed Python from 3.11 on, with the lowest and the newest dependencies
	$(PIP) uv
	$(BIN)/python tests/versions.py

browser:  ## install Chromium for the browser tests (Debian and Ubuntu, as root); they are skipped without it
	@for one in chromium chromium-browser google-chrome; do command -v $$one >/dev/null && echo "$$one is there" && exit 0; done; \
	(apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)

bench: $(VENV)/ready-bench  ## time cranfield beside its peers; the tables go into docs/benchmarks.md
	$(BIN)/python -m benchmarks --write

docs: $(VENV)/ready-docs  ## build the manual as a site: docs/_build/html/index.html
	$(DOCS)
	@if grep -rlE 'cdn\.|\$$\$$.*\\[a-z]' --include='*.html' docs/_build/html; then echo 'these pages fetch something from elsewhere, or show bare TeX'; exit 1; fi
	@echo 'open docs/_build/html/index.html'

lint: style  ## ruff, mypy --strict, and the lines of the scripts
	$(BIN)/mypy

style: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/script_lines.py

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"cranfield needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: pyproject.toml $(COMPILED) | $(VENV)/bin/python
	$(PIP) -e '.[charts]'
	@touch $@

$(VENV)/ready-dev: pyproject.toml $(COMPILED) | $(VENV)/bin/python
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/ready

$(VENV)/ready-bench: pyproject.toml $(COMPILED) | $(VENV)/bin/python
	$(PIP) -e '.[dev,bench]'
	@touch $@ $(VENV)/ready $(VENV)/ready-dev

$(VENV)/ready-docs: pyproject.toml $(COMPILED) | $(VENV)/bin/python
	$(PIP) -e '.[dev,docs]'
	@touch $@ $(VENV)/ready $(VENV)/ready-dev
