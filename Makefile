# Everything is set up on first use: `make demo` and `make test` are all that a fresh Debian machine needs.
SHELL := /bin/bash
# the first interpreter that really runs, is new enough, and can make environments
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do \
  $$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: demo test check format bench docs system clean

demo: .venv/.core
	@$(BIN)/caretgym run inventory-restock-bug --policy oracle --show --out runs/demo
	@echo
	@echo "=== the same task with random calls: not solved, so reward 0 ==="
	@$(BIN)/caretgym run inventory-restock-bug --policy random:4 --show --out runs/demo || test $$? -eq 1
	@echo
	@echo "journals:"; ls -1 runs/demo/*.journal

test: .venv/.dev
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: .venv/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: .venv/.dev
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

bench: .venv/.dev
	@$(BIN)/python benchmarks/run.py

docs: .venv/.docs
	@$(BIN)/mkdocs build --strict

# What a virtual environment can't bring: git, and on Debian the venv module itself.
system:
	@if ! command -v git >/dev/null || test -z "$(PYTHON)"; then \
	  sudo=$$(test $$(id -u) -eq 0 || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -q -y --no-install-recommends git python3 python3-venv ca-certificates; \
	fi

.venv/bin/python: | system
	@$(or $(PYTHON),python3) -m venv .venv

.venv/.core: .venv/bin/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e . && touch $@

.venv/.dev: .venv/bin/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]' && touch $@ .venv/.core

.venv/.docs: .venv/bin/python pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[docs]' && touch $@

clean:
	@rm -rf .venv runs .mypy_cache .ruff_cache .pytest_cache site
