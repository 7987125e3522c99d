# Two targets matter: `make demo` and `make test`. Both make their own .venv.
PYTHON ?= python3
# More options for pip, such as an index that holds smaller builds of torch.
PIP_FLAGS ?=
BIN = .venv/bin

.PHONY: demo test test-stores suite check bench chromium demo-labels docs clean

demo: .venv/.demo
	$(BIN)/labeler demo

# Two processes share the tests; what is marked as slow is left out, named, and run where SLOW=1.
test: .venv/.test
	$(MAKE) --jobs 2 check suite

suite: .venv/.test
	$(BIN)/python -m pytest -n 2 --dist loadgroup

# The live stores: their servers and clients are heavy, so they are installed for this alone.
test-stores: .venv/.test
	$(BIN)/python -m pip install --quiet -c constraints.txt $(PIP_FLAGS) -e '.[demo,test,test-stores]'
	SLOW=1 $(BIN)/python -m pytest tests/evaluator/checks/test_live.py

check: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/cog --check README.md

bench: .venv/.test
	$(BIN)/python -m tests.bench

# The made-up label set and experiment again, after a change of the splitter or the documents.
demo-labels: .venv/.demo
	$(BIN)/python -m labeler.demo
	rm -rf data/demo/experiments/headers
	$(BIN)/evaluator run data/demo/experiment.toml -o data/demo/experiments/headers

# The help texts and outputs that stand in the README.
docs: .venv/.test
	$(BIN)/cog -r README.md

# The browser tests drive headless Chromium; without it they are skipped.
chromium:
	@command -v chromium > /dev/null || [ -n "$$CHROMIUM" ] || { \
	  echo "Installing Debian's chromium; this needs root."; \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }

.venv/.python: Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "onecause needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1)."; \
	  echo "Name a newer one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments. On Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/.demo: .venv/.python pyproject.toml constraints.txt
	@echo "Installing into .venv from the package index: on Linux 0.5 GB with CPU builds of torch, several"
	@echo "GB with its default ones; a few minutes on a fast line. Only this step needs the network."
	$(BIN)/python -m pip install -c constraints.txt $(PIP_FLAGS) -e '.[demo]'
	touch $@

.venv/.test: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt $(PIP_FLAGS) -e '.[demo,test]'
	touch $@ .venv/.demo

clean:
	rm -rf .venv build *.egg-info
