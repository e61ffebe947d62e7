# Targets with a "##" comment are listed by "make help".
.DEFAULT_GOAL := all
BUILD ?= build
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
VERSION := 0.1.0

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wformat=2 -Wwrite-strings
CPPFLAGS += -I. -D_GNU_SOURCE -DBG_VERSION='"$(VERSION)"'
ALL_CFLAGS = -std=c11 $(WARN) $(CFLAGS) $(SAN)
ifdef SANITIZE
comma := ,
BUILD := build/$(subst $(comma),-,$(SANITIZE))
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

PACKAGES := jansson yaml-0.1 libxml-2.0 libgit2
LIBS = $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -ldl -lm -lpthread

SRC := $(wildcard gate/core/*.c gate/wire/*.c gate/verdict/*.c sweeps/*.c baselines/*.c reporters/*.c \
	workloads/*.c)
MAIN := gate/cli/main.c
CLI := $(filter-out $(MAIN),$(wildcard gate/cli/*.c))
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

.PHONY: FORCE all unit help clean
all: $(BUILD)/batchgate ## build the gate
	@:

$(BUILD)/batchgate: $(call objects,$(MAIN) $(CLI) $(SRC))
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# An archive, so that a test links only what it uses.
$(BUILD)/libbatchgate.a: $(call objects,$(CLI) $(SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libbatchgate.a
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(shell $(PKG_CONFIG) --cflags $(PACKAGES)) -MMD -MP -c -o $@ $<

# Rewritten only when the flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS)' >$@
FORCE:

unit: $(TESTS) ## run the unit tests
	@set -e; for t in $(TESTS); do $$t; done

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

clean: ## remove build outputs
	rm -rf build

.SECONDARY: $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%.o,$(wildcard tests/unit/*.c))
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
