# make run     build the command line and show it at work
# make test    build everything and run the tests
# make deep    sanitizers, clang-tidy, WebAssembly, and what takes longer
# make bench   build and run the benchmarks
# Packages come from packages.txt, compiler settings from CMakePresets.json.

.NOTPARALLEL:
.DEFAULT_GOAL := run
SHELL := /bin/bash

ROOFLENS := build/run/cli/rooflens
DEMO ?= .ci/demo $(ROOFLENS)
DEEP ?= sanitize tidy wasm parsers browser fuzz

STAGE := .ci/stage
JOBS := $(shell nproc 2>/dev/null || echo 2)
# On a build server a warning is an error; on somebody's new compiler it is a warning.
WERROR := $(if $(CI),-DROOFLENS_WERROR=ON)
build = cmake --preset $(1) $(2) && cmake --build --preset $(1) -j $(JOBS)
# Where private names clash, file by file; .ci/run lets no such clash in.
apart = { echo "again, file by file"; $(call build,run,-DROOFLENS_UNITY=OFF); }

.PHONY: run test deep bench format clean $(DEEP)

run:
	@.ci/packages run
	@$(STAGE) build bash -c '$(call build,run) $(if $(CI),,|| $(apart))'
	@$(DEMO)

test:
	@$(STAGE) packages .ci/packages run test
	@$(STAGE) build bash -c '$(call build,ci,$(WERROR))'
	@$(STAGE) test .ci/ctest ci build/ci

deep:
	@$(STAGE) packages .ci/packages run test deep
	@for stage in $(DEEP); do $(STAGE) $$stage $(MAKE) --no-print-directory $$stage || exit 1; done

sanitize:
	@$(call build,dev)
	@.ci/ctest dev build/dev

tidy:
	@$(call build,tidy) -- -k 0

wasm:
	@$(call build,wasm)

parsers:
	@tests/parsers/run

browser:
	@if [ -x tests/web/run ]; then tests/web/run; else echo "no browser tests yet"; fi

fuzz:
	@if [ -x tests/fuzz/run ]; then tests/fuzz/run; else echo "no fuzzers yet"; fi

bench:
	@.ci/packages run bench
	@$(call build,bench)
	@build/bench/bench/rooflens_bench

format:
	@.ci/packages format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	@rm -rf build
