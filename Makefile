# make demo: see it work.  make test-all: see it hold.  make up: use it.  The rest: make help.
# Paths are relative throughout, so a checkout may lie in a folder with spaces.

PY := .venv/bin/python
TESTS := tests
# Rules, parsers, statistics and the quick guards: what needs neither much of a database nor ../shared.
QUICK := tests/core tests/statistics tests/evaluations/domain tests/calibration/domain tests/reports/domain tests/runs/domain \
	tests/dashboard/test_domain.py \
	tests/tenants/test_naming.py tests/tenants/test_workflow_config.py tests/guards/test_tasks.py tests/switchboard/test_env.py
# Most of the suite waits, for servers, workers and agents of its own: three processes keep two cores busy. Each has its
# own part of the files, so that what a file makes once is made once, and who is done takes over from the others.
PYTEST_ARGS := -n 3 --dist worksteal
TEMPLATES := apps ratiba_eval templates
STYLES := 'apps/**/static/**/*.css' 'apps/**/static/**/*.js'
.DEFAULT_GOAL := help
# Compiled modules are kept, whatever the shell says: without them every process starts a second and a half later.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup setup-to-run demo loop test test-all quick up lint format bench clean requirements

help:
	@echo "make demo          conversations, battles and judgements on embedded services, with a table at the end"
	@echo "make loop          from a customer's thumbs-down to a better prompt, over HTTP, with a model that obeys it; no key"
	@echo "make up            web, workers, beat and the example agents until Ctrl-C: http://demo.localhost:8000"
	@echo "make test          the test suite but for what starts programs of its own (TESTS=tests/stack, PYTEST_ARGS=-x: all of these)"
	@echo "make test-all      all of it, with workers that are killed, browsers, journeys and the documents' commands"
	@echo "make quick         rules, parsers and statistics: what to run while you work"
	@echo "make lint          ruff, the formatters, mypy, import-linter"
	@echo "make bench         the benchmarks"
	@echo "make format        what ruff and the formatters can mend"
	@echo "make requirements  the pins again, from requirements/*.in (needs uv)"
	@echo "make clean         stop the services; remove var/, .venv and .deepeval-cache/"

setup:
	@sh requirements/install.sh dev

setup-to-run:
	@sh requirements/install.sh base

demo: setup-to-run
	@$(PY) manage.py demo

loop: setup-to-run
	@$(PY) manage.py loop $(if $(TENANT),--slug $(TENANT))

up: setup-to-run
	@$(PY) -m ratiba_eval.up

# Who names tests wants all of these; without a name what starts programs of its own is left to `test-all` (tests/tiers.py).
test: setup
	@$(PY) -m ratiba_eval.local_stack run -- $(PY) -m tests.run_suite $(PYTEST_ARGS) $(if $(filter tests,$(TESTS)),-m "not processes") $(TESTS)

test-all: setup
	@$(PY) -m ratiba_eval.local_stack run -- $(PY) -m tests.run_suite $(PYTEST_ARGS) tests

quick: setup
	@$(PY) -m ratiba_eval.local_stack run -- $(PY) -m pytest $(PYTEST_ARGS) -m "not shared" $(QUICK)

# All of them, whatever the first one says: one run shows everything there is to mend.
lint: setup
	@failed=; \
	check() { name=$$1; shift; echo "--- $$name"; "$$@" || failed="$$failed $$name"; }; \
	check ruff $(PY) -m ruff check .; \
	check format $(PY) -m ruff format --check .; \
	check templates .venv/bin/djangofmt --check $(TEMPLATES); \
	check "styles and scripts" .venv/bin/oxfmt --check $(STYLES); \
	check mypy $(PY) -m mypy; \
	check import-linter $(PY) .venv/bin/lint-imports; \
	check migrations $(PY) manage.py makemigrations --check --dry-run; \
	if [ -n "$$failed" ]; then echo "lint failed:$$failed" >&2; exit 1; fi

format: setup
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	.venv/bin/djangofmt $(TEMPLATES)
	.venv/bin/oxfmt $(STYLES)

bench: setup
	@$(PY) -m ratiba_eval.local_stack run -- $(PY) -m benchmarks.run $(ARGS)

requirements: setup
	@command -v uv >/dev/null || { echo "make requirements needs uv: https://docs.astral.sh/uv/" >&2; exit 2; }
	@$(PY) requirements/compile.py uv $(if $(UPGRADE),--upgrade)

clean:
	@if [ -x $(PY) ] && [ -d var ]; then $(PY) -m ratiba_eval.local_stack remove; fi
	@rm -rf var .venv .deepeval-cache *.egg-info
