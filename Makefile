# make run    open the workbench on a copy of the shipped session (sets up first, once)
# make test   run the whole test suite
# make test-fast  run what is quick: no screen, no verifier, nothing slow; at every save
# make check  format, lint, types, import contracts, tests: what CI runs
SHELL = /bin/sh
SESSION = sessions/travel-desk
BIN = .venv/bin
SOURCES = workbench tests benchmarks examples scripts
PROCESSORS = $(shell getconf _NPROCESSORS_ONLN)
# One more than processors: a worker that waits for the verifier or for a terminal leaves its own to another.
WORKERS = $(shell expr $(PROCESSORS) + 1)

.PHONY: run setup test test-fast test-model test-clients check lint types imports format lock snapshot docs clean help

run: setup
	@if [ -t 1 ]; then $(BIN)/workbench tour; \
	else $(BIN)/workbench check $(SESSION); fi

setup:
	@scripts/setup

test: setup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-fast: setup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q --fast -m "not nagini and not slow"

# Ask a real model: the one of WORKBENCH_MODEL, or a small one that is installed beside.
test-model: setup
	@$(BIN)/python -m pytest tests/author/model/test_real_model.py -m model -q

# Real coding agents against a scripted model, from the npm registry or from the folder WORKBENCH_CLIENTS.
test-clients: setup
	@scripts/test_clients $(BIN)/python

check: lint types imports test

lint: setup
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/ruff check $(SOURCES)

types: setup
	@$(BIN)/basedpyright --pythonpath $(BIN)/python --threads $(PROCESSORS)

imports: setup
	@$(BIN)/lint-imports

format: setup
	@$(BIN)/ruff format $(SOURCES)
	@$(BIN)/ruff check --fix $(SOURCES)

# Draw the pictures of the screen again, those of the documents among them; then look at the difference.
snapshot: setup
	@$(BIN)/python -m tests.tui.scenes

# Write docs/reference: cli.md from the help of the commands, keys.md from the table of actions, schemas from the files' definitions,
# the counts of the corpora of sentences from their judge, the tables of constructs from their tests.
docs: setup
	@$(BIN)/python scripts/cli_page.py
	@$(BIN)/python scripts/file_schemas.py
	@$(BIN)/python scripts/question_table.py
	@$(BIN)/python scripts/keys_page.py
	@$(BIN)/python scripts/dialect_table.py
	@$(BIN)/python scripts/kinds_table.py
	@$(BIN)/python scripts/language_table.py

# Resolve the newest allowed versions into the lock, for every supported Python and platform.
lock: setup
	@command -v uv >/dev/null || { echo "make lock needs uv (https://docs.astral.sh/uv)." >&2; exit 3; }
	@uv pip compile pyproject.toml --group dev --universal --generate-hashes --python-version 3.12 \
		--upgrade --quiet --custom-compile-command "make lock" --output-file requirements.lock

clean:
	rm -rf .venv .venv.lock .ruff_cache .pytest_cache .hypothesis .import_linter_cache

help:
	@sed -n 's/^# make/make/p' Makefile
