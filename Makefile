# SPDX-License-Identifier: BSD-3-Clause
# A few targets in front of Meson.  `make help` lists them.
#
# The build is configured with prefix / and finds everything relative to where it stands, so that the
# staged tree in build/stage, which the tests use, and `make install PREFIX=...` are the same files.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
SEED    ?= 1
SEEDS   ?= 1
RANKS   ?= 8
RUNS    ?= 1000
STEPS   ?= 100000000

MESON_OPTIONS = --prefix / --libdir lib

.PHONY: all demo demo-machines demo-modules check asan tsan sim step soak bench conformance aarch64 install dist docs format clean help
.DELETE_ON_ERROR:

all: ## build into build/, with a staged installation in build/stage
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)
	@rm -rf $(BUILD)/stage/share/man $(BUILD)/stage/share/doc # what is no longer installed, or has become a link
	@DESTDIR=$(abspath $(BUILD))/stage meson install -C $(BUILD) --no-rebuild --quiet

%/build.ninja:
	meson setup $* $(MESON_OPTIONS) $(OPTIONS_$(*F))

OPTIONS_build-asan = --buildtype debugoptimized -Db_sanitize=address,undefined
OPTIONS_build-tsan = --buildtype debugoptimized -Db_sanitize=thread
OPTIONS_build-aarch64 = --cross-file test/aarch64/cross.ini

# What the launcher still holds when it ends is not a leak.
SANITIZER_OPTIONS = ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=$(abspath test/tsan.supp):allocator_may_return_null=1:die_after_fork=0

demo: ## a real run that loses processes and finishes with the right answer
	@tools/install-deps build demo
	@$(MAKE) --no-print-directory all
	@example/heat/demo $(BUILD)

demo-machines: ## a job on three machines loses one of them, which is switched off, and ends with the same bits
	@tools/install-deps build demo check
	@$(MAKE) --no-print-directory all
	@example/heat/demo-machines $(BUILD)

demo-modules: ## a solver loses processes while others are in a module that knows nothing of it; all go back together
	@tools/install-deps build demo
	@$(MAKE) --no-print-directory all
	@example/modules/demo $(BUILD)

check: ## everything that must hold: make check [LONG=1: all repeats | DAY=20786: those of a day]
	@tools/install-deps build demo check
	@$(MAKE) --no-print-directory all
	@test/check --build $(BUILD) $(if $(LONG),--long) $(if $(DAY),--day $(DAY))

asan tsan: ## the tests with the address and undefined-behaviour, or the thread sanitizer
	@tools/install-deps build demo check
	@$(MAKE) --no-print-directory all BUILD=build-$@
	@$(SANITIZER_OPTIONS) test/check --build build-$@ --only unit,launch,sim,programs,kill

ifeq ($(origin SEED),file)
sim: ## every order of events, then so many random ones: make sim [STEPS=100000000]; about an hour
	@$(MAKE) --no-print-directory all
	@test/sim/long --build $(BUILD) --steps $(STEPS)
else
sim: ## one seed decides everything: make sim SEED=4711 RANKS=8 [SEEDS=100]
	@$(MAKE) --no-print-directory all
	@$(BUILD)/sim/mend-sim --seed $(SEED) --seeds $(SEEDS) --ranks $(RANKS)
	@for job in $(BUILD)/test/sim/job-*; do \
		[ ! -f $$job ] || $$job --seed $(SEED) --runs $(SEEDS) --ranks $(RANKS) || exit 1; done
endif

step: ## kill a rank after every instruction of a call; takes about half an hour
	@$(MAKE) --no-print-directory all
	@test/step/run --build $(BUILD) --self-test
	@test/step/run --build $(BUILD) --all

soak: ## killed at random instants: make soak [RUNS=1000 | MEDLEYS=1000 | KILLS=100000 | CYCLES=10000 | PLACES=10000 | STORES=10000 | SYNCS=10000 | WINDOWS=10000 | PAUSES=3600] [SEED=1] [MACHINES=3]
	@$(MAKE) --no-print-directory all
	@$(if $(CYCLES)$(PLACES),tools/install-deps plot)
	@test/soak/$(or $(SOAK),run --runs $(RUNS)) --build $(BUILD) --seed $(SEED) $(if $(MACHINES),--machines $(MACHINES))

SOAK = $(if $(MEDLEYS),medley --runs $(MEDLEYS))$(if $(WINDOWS),windows --runs $(WINDOWS))$(if $(KILLS),storm --kills $(KILLS))$(if $(STORES),stores --kills $(STORES))$(if \
	$(SYNCS),syncs --kills $(SYNCS))$(if $(PAUSES),pauses --seconds $(PAUSES))$(if $(CYCLES),cycles --cycles $(CYCLES) --plot doc/soak.svg)$(if \
	$(PLACES),places --cycles $(PLACES) --plot doc/places.svg)

bench: ## measured beside MPICH and Open MPI: make bench [BENCH=--quick]
	@tools/install-deps build bench plot
	@$(MAKE) --no-print-directory all
	@test/bench/run --build $(BUILD) $(BENCH)

conformance: ## programs we did not write: MPICH's test suite, FFTW, hypre, HPC Challenge, HDF5, PnetCDF, PETSc; two hours
	@tools/install-deps build bench conformance
	@$(MAKE) --no-print-directory all
	@status=0; for each in mpich fftw hypre hpcc hdf5 pnetcdf petsc files; do \
		test/conformance/$$each --build $(BUILD) || status=1; done; exit $$status

aarch64: ## the other architecture under an emulator: unit tests, simulator, MPI programs, kills; 10 minutes or more
	@tools/install-deps build aarch64
	@$(MAKE) --no-print-directory all BUILD=build-$@
	@test/aarch64/run --build build-$@

install: ## make install PREFIX=/usr/local [DESTDIR=...]
install: $(BUILD)/build.ninja
	@ninja -C $(BUILD) installed
	@DESTDIR=$(DESTDIR)$(abspath $(PREFIX)) meson install -C $(BUILD) --no-rebuild --quiet
	@echo "Mend is in $(DESTDIR)$(abspath $(PREFIX)); add its bin/ to PATH."

dist: ## the sources of HEAD as one file, which builds and passes without git: build/mend-VERSION.tar.gz
	@tools/dist $(BUILD)

docs: ## write doc/conformance.md again, from the tests
	@tools/conformance

format: ## clang-format 14 on every source file
	@git ls-files -z '*.c' '*.h' '*.cc' | xargs -0 clang-format -i

clean: ## remove build/ and its likes
	@rm -rf build build-asan build-tsan build-aarch64

help: ## this text
	@sed -n 's/^\([a-z0-9 ]*\): ## /\1\t/p' Makefile | while IFS='	' read -r t w; do \
		printf '  make %-12s %s\n' "$$t" "$$w"; done
