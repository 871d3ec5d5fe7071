# All that a developer runs. `make` alone lists it.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
# One worker more than there are cores, for tests of servers and pages spend a fifth of their time
# waiting; four at most, for each takes up to 800 MB.
WORKERS := $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$(( n < 3 ? n + 1 : 4 )))
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist worksteal

# Each file is compared with the hash that constraints.txt has of it, which pip does not do with -c.
INSTALL := $(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt

# Of `make offline`.
EXTRAS ?= all

# What Python and pytest make of a module is kept: half of what it takes to begin a run.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo figures test test-all warm chromium postgres spark acro check format constraints docs pictures bench \
	dist offline matrix clean

help: ## list what can be made (this)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## draw a first set of pictures into build/
	$(BIN)/python examples/demo.py

figures: $(READY) ## draw the figures of the papers and try their conclusions again, into build/ (ALL=1 fails where a table is missing)
	$(BIN)/python -m examples.anonymise.run $(if $(ALL),--all)
	$(BIN)/python -m examples.figures.run $(if $(ALL),--all)
	$(BIN)/python -m examples.rounding.run $(if $(ALL),--all)
	$(BIN)/python -m examples.parallel.run $(if $(ALL),--all)

test: warm chromium postgres ## run the tests but for the slow ones, such as long attacks and rounds of kills
	$(PYTEST) -m 'not slow'

test-all: warm chromium postgres spark acro ## run all tests, and each law on more examples
	HYPOTHESIS_PROFILE=thorough $(PYTEST)

# Else each worker would compile the same loops.
warm: $(READY)
	$(BIN)/discreet warm

# Tests of pages need a browser; on Debian it can be had, elsewhere they are skipped.
chromium:
	@command -v chromium >/dev/null || { \
		command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
		&& echo 'Installing Chromium, for tests of pages.' \
		&& apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium >/dev/null; \
	} || echo 'There is no Chromium, so tests of pages are skipped.'

# Tests of PostgreSQL start a server of their own.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
		command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
		&& echo 'Installing PostgreSQL, for tests of databases.' \
		&& apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql >/dev/null; \
	} || echo 'There is no PostgreSQL, so tests of it are skipped.'

# Tests of Spark need Java, and PySpark, which is large.
spark: $(READY)
	@{ command -v java >/dev/null || { \
		command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
		&& echo 'Installing Java, for tests of Spark.' \
		&& apt-get -qq update && apt-get -qq install -y --no-install-recommends openjdk-17-jre-headless >/dev/null; \
	}; } && { $(BIN)/python -c 'import pyspark' 2>/dev/null \
		|| $(INSTALL) -e '.[spark]'; \
	} || echo 'There is no Java or PySpark, so tests of Spark are skipped.'

# A test reads what `discreet outputs` writes with ACRO, which asks for another pandas than ours.
acro: $(READY)
	@[ -x build/acro/bin/acro-ready ] || { $(BIN)/python -m venv build/acro \
		&& build/acro/bin/python -m pip install --disable-pip-version-check -q acro==1.0.2 \
		&& ln -s python build/acro/bin/acro-ready; \
	} || echo 'There is no ACRO, so the test that reads its record is skipped.'

check: $(READY) ## format, lint, types and the rules of the house
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/house_rules.py

format: $(READY) ## put all files into the format that `make check` asks for
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only .

constraints: $(READY) ## pin what is installed, with its hashes, in constraints.txt (UPGRADE=1 takes the newest releases)
	$(BIN)/uv pip compile -q --universal --python-version 3.11.7 --generate-hashes --no-annotate \
		--custom-compile-command 'make constraints' $(if $(UPGRADE),--upgrade) \
		--extra dev --extra spark pyproject.toml -o constraints.txt

docs: $(READY) ## build the documentation site into build/site, and check its links
	$(BIN)/python -m tools.docs_site

pictures: $(READY) chromium ## draw the gallery and the pictures of pages again: docs/figures.md, docs/images
	$(BIN)/python -m examples.gallery
	$(BIN)/python -m examples.screens

bench: $(READY) chromium ## measure speed beside peers, and write docs/speed.md (up to 40 minutes; not use and risk: see there)
	$(BIN)/python -m benchmarks.run

dist: $(READY) ## build wheel and sdist into dist/, the same bytes each time
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build

offline: dist ## gather wheels into build/offline that install discreet without network, and try it (EXTRAS=server)
	$(BIN)/python -m tools.offline --extras $(EXTRAS)

matrix: ## run some tests under each Python from 3.11 to 3.14 that is here (TESTS=tests/plots)
	$(PYTHON) -m tools.matrix $(TESTS)

clean: ## remove all that was made, .venv too
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'discreet needs Python 3.11 or newer. Say where it is: make PYTHON=python3.12 ...'; \
		exit 1; }
	@echo 'Setting up .venv; this happens once and takes a minute or two.'
	@$(PYTHON) -m venv .venv
	@sed -n '/^uv==/,/[^\\]$$/p' constraints.txt > .venv/uv.txt
	@$(BIN)/python -m pip install --disable-pip-version-check -q --require-hashes -r .venv/uv.txt
	@$(INSTALL) -e '.[dev]'
	@touch $@
