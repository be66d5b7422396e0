# Everything a person types: make demo, make test. The environment is set up on the way.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
STAMP := $(VENV)/.stamp
# Two processes on two cores: threads of linear algebra would only get in each other's way. A file stays
# in one process, so that what it makes once is made once. What is imported often is compiled once.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= \
    $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
# make test ROOM=motion: the tests of one room (or of a few, ROOM="motion time") and the examples in its docstrings
ROOM ?=
ROOMS := $(sort $(patsubst tests/%/,%,$(filter-out %__pycache__/,$(wildcard tests/*/))))
ifneq ($(filter-out $(ROOMS),$(ROOM)),)
$(error There is no room "$(filter-out $(ROOMS),$(ROOM))". Rooms: $(ROOMS))
endif
INSIDE_fields := ritz
WHERE = $(addprefix tests/,$(ROOM)) $(foreach room,$(ROOM) $(INSIDE_$(ROOM)),$(shell find src/routh -type d -name "$(room)"))
UV := $(shell command -v uv 2>/dev/null)

.PHONY: demo studio test test-all lint format bench docs verification env clean

demo: $(STAMP)  ## a tour of the double pendulum in the terminal, and its report
	@$(BIN)/python examples/tour.py
	@$(BIN)/routh report examples/models/double_pendulum.toml -o double_pendulum.html

studio: $(STAMP)  ## the page where a model is written, moved and understood, with the examples
	@$(BIN)/routh studio examples/models/double_pendulum.toml

test: $(STAMP)  ## lint and the fast suite
	$(call beside_lint,$(PYTEST) -m "not slow" $(WHERE))

test-all: $(STAMP)  ## lint and every test, random ones at length
	$(call beside_lint,$(PYTEST) --hypothesis-profile=deep $(WHERE))

# Lint keeps silent beside the tests and speaks when they are done; either of them fails the whole.
define beside_lint
	@said=$$(mktemp); trap 'rm -f "$$said"' EXIT; \
	$(MAKE) --no-print-directory lint >"$$said" 2>&1 & lint=$$!; \
	$(strip $(1)); tests=$$?; \
	wait $$lint; lint=$$?; cat "$$said"; \
	exit $$((tests ? tests : lint))
endef

lint: $(STAMP)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP)  ## let the tools fix what they can
	-$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

bench: $(STAMP)  ## ratios against what people have today
	$(BIN)/python benchmarks/pendulum_chain.py
	$(BIN)/python benchmarks/batch.py
	$(BIN)/python benchmarks/equilibria.py
	$(BIN)/python benchmarks/motion.py
	$(BIN)/python benchmarks/fields.py
	$(BIN)/python benchmarks/periodic.py
	$(BIN)/python benchmarks/fitting.py
	$(BIN)/python benchmarks/vehicle.py
	$(BIN)/python benchmarks/arms.py
	$(BIN)/python benchmarks/machines.py
	$(BIN)/python benchmarks/structure.py
	$(BIN)/python benchmarks/studies.py 200
	$(BIN)/python benchmarks/startup.py

verification: $(STAMP)  ## published digits against ours
	$(BIN)/python docs/verification/published.py

# Pages are executed in two processes of one thread each; what they print is kept in build/docs-kept.
# make docs WITHOUT=gallery leaves out the pages of models and scripts, while others are written.
docs: $(STAMP)  ## the site: build/docs/index.html
	WITHOUT=$(WITHOUT) PYTHONDONTWRITEBYTECODE= $(BIN)/python -m sphinx -W --keep-going -q -b html -d build/docs-trees docs build/docs || \
	    { rm -rf build/docs-trees; exit 1; }  # what was warned of would be silent the next time
	$(BIN)/python docs/_ext/links.py build/docs

env: $(STAMP)  ## everything into .venv

$(STAMP): pyproject.toml
ifneq ($(UV),)
	test -d $(VENV) || $(UV) venv --quiet $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python -e ".[control,plot,rigor,studio,sweep]" --group dev
else
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -e ".[control,plot,rigor,studio,sweep]" --group dev
endif
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
