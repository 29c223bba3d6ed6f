# Everything a developer or CI does with Duetime. `make` alone lists the targets.
# Needs python3 (3.11 or newer) with venv; `make e2e` also needs Node.js with npm. Nothing is installed outside this folder.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
VENV := .venv
EMULATOR_VENV := .venv-emulator
BIN := $(VENV)/bin
PORT ?= 8787
ARGS ?=

# Each environment is exactly one pinned list: every file is checked against its hash, nothing is resolved anew.
PIP := -m pip install -qq --disable-pip-version-check --no-input
PINNED := $(PIP) --no-deps --require-hashes
# The tree itself has no hash; it is linked in with the pinned build backend, without network.
LINKED := $(PIP) --no-deps --no-index --no-build-isolation --editable .

# Stamps: a set-up step runs again only when what it was made from changed.
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
EMULATOR := $(EMULATOR_VENV)/.ready
CDK := infra/node_modules/.ready
# The development set holds the runtime, so where it is set up `make run` installs nothing more.
READY := $(if $(wildcard $(DEV)),$(DEV),$(RUNTIME))

.PHONY: help setup emulator-setup cdk-setup run test unit lint format types imports e2e bench generate pins clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(DEV) ## Set up .venv with everything that tests, checks and infra need

emulator-setup: $(EMULATOR) ## Set up .venv-emulator, the AWS emulator of the end-to-end test

cdk-setup: $(CDK) ## Install the pinned CDK command line under infra/

run: $(READY) ## Start Duetime on this machine (PORT=8787): API, scheduler and the sample jobs
	@exec $(BIN)/duetime local --port $(PORT) $(ARGS)

test: lint types imports unit ## All that needs no deploy: lint, types, import floors, tests

unit: $(DEV) ## The tests alone, in parallel (ARGS="-k cron" passes options to pytest)
	@$(BIN)/python -m infra.components.bundle
	@$(BIN)/python -m pytest -n auto --basetemp build/tests $(ARGS)

lint: $(DEV) ## Style and formatting, checked only
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --check --quiet .
	@echo "lint: clean"

format: $(DEV) ## Put style and formatting right where a tool can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

types: $(DEV) ## Strict type check
	@$(BIN)/mypy

imports: $(DEV) ## The import floors: who may import whom
	@$(BIN)/lint-imports --no-logo --no-cache

e2e: $(DEV) $(EMULATOR) $(CDK) ## Deploy to the emulator, watch jobs run, destroy (Node.js needed, no Docker)
	@$(BIN)/python -m infra.components.bundle
	@$(BIN)/python -m pytest tests/e2e -p no:xdist --timeout 900 --basetemp build/e2e -s $(ARGS)

bench: $(DEV) ## Figures: schedules beside croniter and cronsim; calls, units and dispatches per second of a tick
	@$(BIN)/python -m benchmarks $(ARGS)

generate: $(DEV) ## Write the generated files anew (OpenAPI, event schemas, diagrams); the tests diff them
	@$(BIN)/python -m tests.generate

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
pins: $(DEV) ## Renew the pinned versions and hashes (UPGRADE=--upgrade takes newer releases)
	@$(COMPILE) $(UPGRADE) pyproject.toml --all-extras --group pyproject.toml:build --output-file constraints.txt
	@$(COMPILE) pyproject.toml --group pyproject.toml:build --constraints constraints.txt --output-file requirements.txt
	@$(COMPILE) --group pyproject.toml:lambda --constraints constraints.txt --output-file functions/requirements.txt
	@$(COMPILE) $(UPGRADE) tests/e2e/emulator.in --output-file tests/e2e/emulator-constraints.txt
	@echo "pins: written; run 'make test' before you commit them"

clean: ## Remove the environments, caches and build results
	@rm -rf $(VENV) $(EMULATOR_VENV) infra/node_modules build dist cdk.out infra/cdk.out
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up steps ---------------------------------------------------------------------------------------------------

define make_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Duetime needs Python 3.11 or newer, this is " \
		+ sys.version.split()[0] + ": name another with make PYTHON=python3.13")'
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
endef

$(RUNTIME): requirements.txt pyproject.toml
	@echo "setup: runtime into $(VENV) (first time only)"
	$(call make_venv,$(VENV))
	@$(BIN)/python $(PINNED) --requirement requirements.txt
	@$(BIN)/python $(LINKED)
	@touch $@

# Compiled at first import, not here: the CDK library alone has more modules than all the rest and few are ever imported.
$(DEV): constraints.txt pyproject.toml
	@echo "setup: runtime, tests and infra into $(VENV) (first time about a minute)"
	$(call make_venv,$(VENV))
	@$(BIN)/python $(PINNED) --no-compile --requirement constraints.txt
	@$(BIN)/python $(LINKED)
	@touch $@ $(RUNTIME)

$(EMULATOR): tests/e2e/emulator-constraints.txt
	@echo "setup: AWS emulator into $(EMULATOR_VENV)"
	$(call make_venv,$(EMULATOR_VENV))
	@$(EMULATOR_VENV)/bin/python $(PINNED) --no-compile --requirement tests/e2e/emulator-constraints.txt
	@touch $@

# No lock file: it would record where packages were fetched from. The one dependency is pinned exactly.
$(CDK): infra/package.json
	@echo "setup: CDK command line into infra/node_modules"
	@npm install --prefix infra --include=dev --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@
