# Targets with a "##" comment are listed by "make help".
.DEFAULT_GOAL := all
VERSION := 0.1.0
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
FUZZ_SECONDS ?= 10
Q := $(if $(V),,@)# V=1 shows the commands
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

# Modules: each is workloads/modules/NAME.c or NAME/*.c. HAVE_NAME=0 leaves one out. Most load their
# library by hand and need no header, so that it may come later; oneDNN's headers are looked for.
LIBRARIES := blis memory onednn openblas
module_source = $(wildcard workloads/modules/$(1).c workloads/modules/$(1)/*.c)
hash := \#
have_header = $(shell echo '$(hash)include <$(1)>' | $(CC) $(2) -E -o /dev/null -x c - 2>/dev/null && echo 1 || echo 0)
ifndef HAVE_onednn
HAVE_onednn := $(call have_header,oneapi/dnnl/dnnl.h,$(onednn_CFLAGS))
endif
$(foreach l,$(LIBRARIES),$(eval HAVE_$(l) ?= 1))
MODULE_LIBS := -ldl -lm -lpthread
memory_CFLAGS := -O3 -ffp-contract=off
BUILT := $(foreach l,$(LIBRARIES),$(if $(filter 1,$(HAVE_$(l))),$(if $(call module_source,$(l)),$(l))))
MODULES = $(BUILT:%=$(BUILD)/modules/%.so)
# What clang-tidy cannot compile: modules without their library, and what includes an installed header.
LEFT_OUT := workloads/clients/example_plugin.c $(foreach l,$(filter-out $(BUILT),$(LIBRARIES)),$(call module_source,$(l)))

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wformat=2 -Wwrite-strings $(if $(filter true,$(CI)),-Werror)
CPPFLAGS += -I. -D_GNU_SOURCE -DBG_VERSION='"$(VERSION)"' \
	$(foreach l,$(LIBRARIES),-DBG_HAVE_$(l)=$(if $(filter $(l),$(BUILT)),1,0))
ALL_CFLAGS = -std=c11 $(WARN) $(CFLAGS) $(SAN)
comma := ,
ifdef SANITIZE
BUILD := build/$(subst $(comma),-,$(SANITIZE))
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

PACKAGES := jansson yaml-0.1 libxml-2.0 libgit2
PACKAGE_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES))
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -ldl -lm -lpthread

MAIN := gate/cli/main.c
SRC := $(filter-out $(MAIN),$(wildcard gate/*/*.c sweeps/*.c sweeps/*/*.c baselines/*.c reporters/*.c workloads/*.c))
C_FILES := $(shell find gate workloads sweeps baselines reporters tests -name '*.[ch]' 2>/dev/null | sort)
program = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1)))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
UNIT := $(call program,tests/unit/test_*.c)
FUZZ := $(call program,tests/fuzz/fuzz_*.c)
CROSS := $(call program,tests/cross/*.c)
BENCH := $(call program,tests/bench/*.c)
RUN = $(PYTHON) tests/run.py --build $(BUILD)

.PHONY: FORCE all build-tests test unit golden fuzz fuzz-smoke fuzz-run python-tests cross layers headers \
	format tidy sanitize coverage bench install dist clean help
all: $(BUILD)/batchgate $(MODULES) ## build the gate and its modules
	@:

$(BUILD)/batchgate: $(call objects,$(MAIN)) $(BUILD)/libbatchgate.a
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# An archive, so that a test links only what it uses.
$(BUILD)/libbatchgate.a: $(call objects,$(SRC))
	@rm -f $@
	$(Q)$(AR) qcs $@ $^

$(UNIT): LIBS += -lcmocka
$(FUZZ): $(if $(FUZZER),,$(BUILD)/tests/fuzz/replay.o)
$(FUZZ): LDFLAGS += $(FUZZER)
$(UNIT) $(FUZZ) $(CROSS) $(BENCH): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/libbatchgate.a
	$(Q)$(CC) $(SAN) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)

# What modules share is linked into each: they see nothing of each other.
COMMON := $(BUILD)/workloads/modules/common.a
$(COMMON): $(call objects,$(call module_source,common))
	@rm -f $@
	$(Q)$(AR) qcs $@ $^
$(call objects,$(call module_source,common)): private ALL_CFLAGS += -fPIC -fvisibility=hidden

define module_rule
$(call objects,$(call module_source,$(1))): private ALL_CFLAGS += -fPIC -fvisibility=hidden $($(1)_CFLAGS)
$(BUILD)/modules/$(1).so: $(call objects,$(call module_source,$(1))) $(COMMON)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(SAN) $$(LDFLAGS) -shared -o $$@ $$^ $$(MODULE_LIBS) $($(1)_LIBS)
endef
$(foreach l,$(BUILT),$(eval $(call module_rule,$(l))))

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(if $(V),,@echo '  cc $<')
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(PACKAGE_CFLAGS) -MMD -MP -c -o $@ $<

# Rewritten only when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS)' >$@
FORCE:

build-tests: all $(UNIT) $(FUZZ) $(CROSS) $(BUILD)/tests/bench/result
test: build-tests ## run every test; the last line counts them
	@$(RUN)
unit: all $(UNIT) $(MODULES) ## run the unit tests
	@$(RUN) unit
golden: all ## run the command line against its expected output
	@$(RUN) golden
fuzz: $(FUZZ)
	@$(RUN) fuzz
python-tests: all $(BUILD)/tests/bench/result ## run the tests that need other people's readers
	@$(RUN) python
cross: $(CROSS) ## check the statistics against scipy
	@$(RUN) cross

fuzz-smoke: fuzz ## fuzz each target for ten seconds with clang
	@$(MAKE) CC=clang BUILD=build/fuzz FUZZER=-fsanitize=fuzzer \
		SAN='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all' fuzz-run
fuzz-run: $(FUZZ)
	@set -e; for f in $(FUZZ); do name=$${f##*/fuzz_}; mkdir -p $(BUILD)/corpus/$$name; \
		$$f -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
		-verbosity=0 -artifact_prefix=$(BUILD)/ $(BUILD)/corpus/$$name tests/fuzz/corpus/$$name; done

layers: ## check includes, banned functions and sizes
	@$(PYTHON) tests/lint.py
headers: ## compile each header alone
	@for h in $(filter %.h,$(C_FILES)); do \
		$(CC) $(CPPFLAGS) -std=c11 $(WARN) -Werror -fsyntax-only -x c $$h || exit 1; done
format: ## check the formatting
	@clang-format --dry-run --Werror $(C_FILES)
tidy: compile_commands.json ## run clang-tidy
	@printf '%s\n' $(filter-out $(LEFT_OUT),$(filter-out tests/python/%,$(filter %.c,$(C_FILES)))) | xargs -P 2 -n 1 clang-tidy --quiet -p . 2>/dev/null

sanitize: ## run the tests under ASan and UBSan, and under TSan
	@$(MAKE) SANITIZE=address,undefined unit golden fuzz
	@$(MAKE) SANITIZE=thread unit
coverage: ## print the line coverage of the unit and golden tests
	@$(MAKE) BUILD=build/coverage CFLAGS='-O0 -g' SAN=--coverage unit golden fuzz
	@$(PYTHON) tests/coverage.py build/coverage

bench: all $(BENCH) ## measure the gate itself: noise, overhead, speed
	@$(PYTHON) tests/bench/run.py $(BUILD)

install: all ## install below PREFIX (and DESTDIR)
	install -D $(BUILD)/batchgate $(DESTDIR)$(PREFIX)/bin/batchgate
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/batchgate workloads/workload.h
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/batchgate/clients $(wildcard workloads/clients/*.[chp]*)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/batchgate README.md CHANGELOG.md LICENSE $(wildcard docs/*)
	install -D -t $(DESTDIR)$(PREFIX)/share/batchgate/hooks packaging/hooks/pre-push
	$(if $(MODULES),install -D -t $(DESTDIR)$(PREFIX)/lib/batchgate/modules $(MODULES))
dist: ## make build/batchgate-VERSION.tar.gz, the same bytes for the same commit
	@mkdir -p build
	git -c tar.tar.gz.command='gzip -n -9' archive --format=tar.gz --prefix=batchgate-$(VERSION)/ \
		-o build/batchgate-$(VERSION).tar.gz HEAD

compile_commands.json: FORCE ## for editors and clang-tidy
	@$(PYTHON) -c 'import json, os, sys; print(json.dumps([{"directory": os.getcwd(), "file": f, \
		"arguments": sys.argv[2:] + [f]} for f in sys.argv[1].split()], indent=1))' \
		'$(filter %.c,$(C_FILES))' $(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(PACKAGE_CFLAGS) -c >$@

help: ## list the targets
	@sed -n 's/^\([a-z_.-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

clean: ## remove build outputs
	rm -rf build compile_commands.json

.SECONDARY: $(call objects,$(filter %.c,$(C_FILES)))
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
