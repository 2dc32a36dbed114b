# `make help` lists what there is. All set-up happens by itself, in $(VENV).

VENV ?= .venv
# The first Python on this machine that is new enough; `make PYTHON=...` takes another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PROFILE ?= demo

# One thread per run; runs go in parallel inside the package.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-lowest docs docs-links lab fetch results figures notebooks clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

run: $(STAMP)  ## run the whole workbook (PROFILE=demo, minutes; PROFILE=paper, hours)
	$(BIN)/python -m cbkit run --profile $(PROFILE)

test: SELECTED := -m "not exhaustive"
test: test-all  ## check style and types, run tests and doctests, and run every notebook

test-all: $(STAMP)  ## the same with all cases of the tests marked exhaustive
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m mypy
	@echo "Running tests, doctests and notebooks; figures go to a scratch folder."
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && CBKIT_OUTPUT="$$scratch" \
		$(BIN)/python -m pytest tests cbkit notebooks $(SELECTED) -rs --durations=20 --durations-min=5 \
		--numprocesses=auto --dist=loadfile --no-loadscope-reorder \
		--nbval-lax --nbval-current-env --nbval-cell-timeout=600

LOWEST := build/lowest
PINS := import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	dev = [r for r in project["optional-dependencies"]["dev"] \
	if r.split(">")[0] in ("pytest", "hypothesis", "packaging", "nbconvert")]; \
	print(*(r.replace(">=", "==") for r in project["dependencies"] + dev), sep="\n")

test-lowest:  ## run the core tests with the oldest packages that pyproject.toml allows
	mkdir -p build && $(PYTHON) -c '$(PINS)' > $(LOWEST).txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -r $(LOWEST).txt
	PYTHONPATH="$(CURDIR)" $(LOWEST)/bin/python -m pytest tests/policies tests/oracles tests/experiments \
		tests/datasets tests/test_simulate.py -m "not exhaustive"

docs: $(STAMP)  ## build the site: docs/_build/html/index.html
	$(BIN)/python docs/build.py

docs-links: $(STAMP)  ## check the site's links to other places, which takes a network
	$(BIN)/python docs/build.py --builder linkcheck

lab: $(STAMP)  ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks

fetch: $(STAMP)  ## download data sets: make fetch NAMES="bibtex delicious"
	@test -n "$(NAMES)" || { echo 'Say which: make fetch NAMES="bibtex delicious"'; \
		$(BIN)/python -m cbkit datasets; exit 2; }
	$(BIN)/python -m cbkit fetch $(NAMES)

results: $(STAMP)  ## rewrite data/results and figures/paper: make results STUDY=evaluation/bibtex
	$(BIN)/python -m cbkit results $(STUDY)

figures: $(STAMP)  ## draw the committed tables as PDF into outputs/figures (STUDY=... for one)
	$(BIN)/python -m cbkit figures --format pdf $(STUDY)

notebooks: $(STAMP)  ## run the notebooks in place, to commit their outputs
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace \
		--ExecutePreprocessor.record_timing=False --ExecutePreprocessor.timeout=600 \
		notebooks/*.ipynb

clean:  ## remove the environment, caches and executed copies; committed figures stay
	rm -rf $(VENV) outputs build docs/_build *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
	find . -name .ipynb_checkpoints -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer on the path; make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0])'
	@echo "Setting up $(VENV) with the packages of pyproject.toml; this takes a few minutes, once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,dask,docs]'
	@touch $@
