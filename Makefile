# The only door: make, make demo, make check, make test, make help.
# Everything is made under build/; SAN=address,undefined, CC=clang or DEBUG=1 build beside the plain one.
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

CC := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
SAN ?=
DEBUG ?=
WERROR ?=
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

empty :=
comma := ,
VARIANT := $(if $(findstring clang,$(CC)),clang)$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(DEBUG),-debug)
BUILD := build$(if $(VARIANT),/variant-$(VARIANT))

WARN := -Wall -Wextra -Wshadow -Wundef -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wcast-qual -Wwrite-strings $(if $(WERROR),-Werror)
CFLAGS ?= -O2 -g
COMMON := -std=c11 -D_GNU_SOURCE -Isrc -Iinclude -DTARE_VERSION='"$(VERSION)"' $(if $(DEBUG),-DTARE_DEBUG) $(WARN) -MMD -MP
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LIBS := -ldw -lelf -lz -lm

# The probe is a guest: libc alone, nothing exported but what probe.map lists.
PROBE_SRC := $(wildcard src/probe/*/*.c) \
             $(addprefix src/ledger/,writer.c pieces.c table.c levels.c step.c mailbox.c) \
             $(addprefix src/base/,carry.c confinement.c err.c line_table.c python_path.c secret.c)
PROBE_FLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector \
               -fno-omit-frame-pointer -fno-builtin-malloc -fno-semantic-interposition \
               -ffunction-sections
PROBE_OBJ := $(PROBE_SRC:%.c=$(BUILD)/probe/%.o)
# What is done once, or seldom, is made small: the probe is mapped into every process.
PROBE_SELDOM := ledger/levels ledger/step \
    base/carry base/secret ledger/mailbox ledger/pieces ledger/writer probe/copy/copy probe/copy/cost \
    probe/copy/headroom probe/copy/host probe/copy/regions probe/core/filter probe/core/state \
    probe/entry/adapter probe/entry/adapter_table probe/entry/exec_env_pure probe/entry/exec_file \
    probe/entry/birth probe/entry/hooks_confine probe/entry/hooks_exec probe/entry/life probe/entry/parts \
    probe/entry/run_dir probe/entry/adapter_frameworks probe/entry/hooks_user probe/entry/wiring \
    probe/frameworks/tensors probe/frameworks/counted_types probe/serve/asking probe/serve/greeting \
    probe/core/program probe/core/symbol probe/devices/device_memory probe/devices/driver probe/devices/driver_blocks \
    probe/entry/hooks_driver probe/entry/hooks_torch probe/frameworks/called_type \
    probe/frameworks/frameworks probe/js/node_options probe/js/node_options_pure probe/js/script_text \
    probe/lines/lines_api probe/lines/lines_eval probe/lines/lines_monitor probe/python/interpreter \
    probe/python/python_api probe/python/python_find probe/python/python_offsets \
    probe/python/python_selftest probe/record/handoff probe/record/names probe/search/account \
    probe/search/native_name_pure probe/search/python_array probe/search/python_attribute \
    probe/search/python_cycle probe/search/python_describe probe/search/python_label \
    probe/search/holder_path probe/search/search_answer \
    probe/serve/first_search probe/serve/holders probe/serve/refusal probe/serve/requests probe/serve/snapshots probe/js/heap_pause_pure \
    probe/unwind/module_elf probe/unwind/module_place
$(foreach name,$(PROBE_SELDOM),$(if $(wildcard src/$(name).c),,$(error PROBE_SELDOM: there is no src/$(name).c)))

# The screen of `tare live` and `tare top` needs ncurses; without it they can print, with --once.
CURSES := $(shell echo 'int main(void) { return !initscr(); }' | \
    $(CC) -x c -include ncurses.h -o /dev/null - -lncursesw -ltinfo 2>/dev/null && echo yes)
ifeq ($(CURSES),)
$(info ncurses was not found (Debian: libncurses-dev): tare live and tare top will know --once alone)
endif
LIBS += $(if $(CURSES),-lncursesw -ltinfo)
LIVE_SRC := $(filter-out src/live/screen$(if $(CURSES),_none).c,$(wildcard src/live/*.c))

LIB_SRC := $(wildcard $(addsuffix /*.c,$(addprefix src/,base ledger snapshot doctor/* report report/*))) $(LIVE_SRC)
CLI_SRC := $(wildcard src/run/*/*.c src/cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/page/template.o
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)

# Parts of the probe that are plain functions of their arguments are tested in the unit binary.
UNIT_SRC := $(wildcard $(addsuffix .c,tests/unit/* tests/unit/*/* tests/unit/doctor/*/*)) $(wildcard src/probe/*/*_pure.c)
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o) $(filter-out $(BUILD)/src/cli/main.o,$(CLI_OBJ))

# The simulator writes ledgers and has the doctor judge them: what the rules promise, measured.
SIMULATE_SRC := $(wildcard tools/simulate/*.c)
SIMULATE_OBJ := $(SIMULATE_SRC:%.c=$(BUILD)/changeable/%.o)
# Its doctor has thresholds that can be changed: doctor/facts/rules.h.
CHANGEABLE_OBJ := $(patsubst %.c,$(BUILD)/changeable/%.o,$(wildcard src/doctor/*/*.c))

# The Python adapter, beside the probe: PYTHONPATH is given python/inject; it finds the package.
PYTHON_SRC := $(foreach part,inject tare store,$(wildcard adapters/python/$(part)/*.py))
PYTHON_OUT := $(PYTHON_SRC:adapters/%=$(BUILD)/%)

# The Node adapter: NODE_OPTIONS names node/tare.cjs. Node-API is resolved by the Node that loads it.
NODE_SRC := $(wildcard adapters/node/*.cjs) $(wildcard adapters/node/modules/tare/*)
NODE_OUT := $(NODE_SRC:adapters/%=$(BUILD)/%) $(BUILD)/node/tare_node.node

PROGRAM_SRC := $(wildcard tests/programs/*.c) $(wildcard tests/programs/*.cc)
PROGRAMS := $(addprefix $(BUILD)/programs/,$(basename $(notdir $(PROGRAM_SRC))))

VERBS := $(basename $(patsubst cmd_%,%,$(notdir $(wildcard src/cli/cmd_*.c))))
MANUAL := $(BUILD)/man/tare.1 $(VERBS:%=$(BUILD)/man/tare-%.1)
COMPLETION := $(BUILD)/completion/tare $(BUILD)/completion/_tare

.PHONY: all
all: $(BUILD)/tare $(BUILD)/libtare-probe.so $(PYTHON_OUT) $(NODE_OUT) ## the program and the probe, under build/

$(BUILD)/tare: $(CLI_OBJ) $(LIB_OBJ)
	$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LIBS)

# A sanitized probe cannot be preloaded into a plain program: the probe itself is always plain.
$(BUILD)/libtare-probe.so: $(PROBE_OBJ) src/probe/entry/probe.map
	$(CC) $(CFLAGS) -shared -o $@ $(PROBE_OBJ) -Wl,--version-script=src/probe/entry/probe.map \
	    -Wl,--gc-sections -Wl,-z,defs,-z,relro,-z,now,-z,nodelete -Wl,--build-id \
	    -Wl,-soname,libtare-probe.so

$(PROBE_SELDOM:%=$(BUILD)/probe/src/%.o): PROBE_FLAGS += -Os

$(BUILD)/probe/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(CFLAGS) $(PROBE_FLAGS) -c -o $@ $<

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(CFLAGS) $(SANFLAGS) -c -o $@ $<

# The page of `tare view`: web/ and two npm packages in one file, as a C array in the program. Where
# they cannot be had the array is empty, `tare view` says so, and the next make tries again.
WEB_SRC := $(wildcard web/*)
$(BUILD)/page/template.c: $(WEB_SRC) tools/bundle $(if $(wildcard build/npm-page/made),,retry)
	@mkdir -p $(@D)
	tools/bundle --modules build/npm-page $@
.PHONY: retry
retry:
$(BUILD)/page/template.o: $(BUILD)/page/template.c
	$(CC) $(COMMON) $(CFLAGS) -c -o $@ $<

$(BUILD)/python/%: adapters/python/%
	@mkdir -p $(@D)
	cp $< $@

NODE_ADDON := $(addprefix adapters/node/,tare_node.c turning.c survivors.c dropped.c charge.c sizes.c \
              loading.c ending.c scripts.c counts.c asking.c snapshot.c listening.c) src/probe/js/heap_pause_pure.c
$(BUILD)/node/tare_node.node: $(NODE_ADDON) $(wildcard adapters/node/*.h) src/probe/entry/adapter_abi.h \
                              src/probe/js/heap_pause_pure.h src/ledger/gauges.def
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(COMMON)) $(CFLAGS) -fPIC -fvisibility=hidden -shared \
	    -fno-omit-frame-pointer -pthread -o $@ $(NODE_ADDON) \
	    -Wl,-z,relro,-z,now,-z,nodelete

$(BUILD)/node/%: adapters/node/%
	@mkdir -p $(@D)
	cp $< $@

$(BUILD)/tests/unit/%.o: COMMON += -Itests/unit
$(BUILD)/unit: $(UNIT_OBJ) $(LIB_OBJ)
	$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LIBS)

$(SIMULATE_OBJ): COMMON += -Itools/simulate
$(BUILD)/changeable/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) -DRULES_CHANGEABLE -Wno-conversion -Wno-sign-compare $(CFLAGS) $(SANFLAGS) -c -o $@ $<
$(BUILD)/simulate: $(SIMULATE_OBJ) $(CHANGEABLE_OBJ) $(filter-out $(BUILD)/src/doctor/%,$(LIB_OBJ))
	$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LIBS)

# Test programs are what a user would build: their own flags, the public header alone. `device` is an adapter.
PROGRAM_FLAGS :=
$(BUILD)/programs/device: PROGRAM_FLAGS := -Isrc
$(BUILD)/programs/device: src/probe/entry/adapter_abi.h src/ledger/gauges.def
$(BUILD)/programs/%: tests/programs/%.c include/tare/mark.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -Iinclude $(PROGRAM_FLAGS) -o $@ $< -pthread -ldl -lm
$(BUILD)/programs/%: tests/programs/%.cc include/tare/mark.h
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O1 -g -Iinclude -o $@ $< -pthread -ldl

.PHONY: programs
programs: $(PROGRAMS)

# The corpus is built as its users would: see corpus/README.md.
CORPUS_SRC := $(wildcard corpus/native/*.c) $(wildcard corpus/native/*.cc)
CORPUS := $(addprefix $(BUILD)/corpus/,$(basename $(notdir $(CORPUS_SRC))))

$(BUILD)/corpus/%: corpus/native/%.c corpus/native/work.h include/tare/mark.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -Wall -Wextra $(if $(WERROR),-Werror) -Iinclude -o $@ $< -pthread -ldl
$(BUILD)/corpus/%: corpus/native/%.cc corpus/native/work.h include/tare/mark.h
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O1 -g -Wall -Wextra $(if $(WERROR),-Werror) -Iinclude -o $@ $< -pthread -ldl

# The C programs of corpus/ordinary, in a folder of their own: names may repeat.
ORDINARY := $(patsubst corpus/%.c,$(BUILD)/corpus/%,$(wildcard corpus/ordinary/*.c))

$(BUILD)/corpus/ordinary/%: corpus/ordinary/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -Wall -Wextra $(if $(WERROR),-Werror) -o $@ $<

# The add-on of corpus/node, which its programs find by NODE_PATH.
$(BUILD)/corpus/frames.node: corpus/node/shared/frames.c adapters/node/napi.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -fPIC -shared -Iadapters/node -o $@ $<

.PHONY: corpus corpus-node corpus-ordinary
corpus: $(CORPUS)
corpus-node: $(BUILD)/corpus/frames.node
corpus-ordinary: $(ORDINARY)

.PHONY: score
score: all ## run the labelled corpus, three times each: found, missed, false alarms
	corpus/score

.PHONY: deps
deps: ## install what a fresh machine lacks
	tools/deps

.PHONY: deps-build
deps-build: ## the part of it that building needs
	tools/deps --build

.PHONY: demo
demo: deps-build ## diagnose a leaky program and a clean one
	@$(MAKE) --no-print-directory all
	@examples/demo

.PHONY: check
check: all programs $(BUILD)/unit ## the quick tests, two to three minutes
	tests/run --suite check

.PHONY: test
test: deps ## everything
	@$(MAKE) --no-print-directory all programs $(BUILD)/unit $(BUILD)/simulate
	tests/run --suite test

.PHONY: test-long
test-long: deps ## what takes hours
	@$(MAKE) --no-print-directory all programs $(BUILD)/unit
	tests/run --suite long

.PHONY: simulate
simulate: $(BUILD)/simulate ## error rates and detection of the verdict, and how thresholds move them; hours
	$(BUILD)/simulate
	$(BUILD)/simulate --sensitivity --runs 4

.PHONY: bless
bless: all programs ## rewrite the expected outputs of tests/cli, golden and ledgers; review the diff like code
	tests/run --suite check --bless tests/cli tests/golden tests/ledgers

.PHONY: lint
lint: ## sizes, layers, names, format
	tools/lint.sh

.PHONY: bench
bench: all ## overhead, paired and interleaved, beside the peers
	bench/run

# What fuzz/run links its target of whole runs with; stand-ins take the place of the two left out.
FUZZ_OBJ := $(filter-out %/doctor/held/helper.o %/page/template.o,$(LIB_OBJ))
.PHONY: fuzz-objects
fuzz-objects: $(FUZZ_OBJ)
	@echo $(FUZZ_OBJ) >$(BUILD)/fuzz-objects
	@echo $(LIBS) >$(BUILD)/fuzz-libraries

.PHONY: fuzz
fuzz: ## ten minutes of fuzzing the readers (SECONDS=600)
	fuzz/run $(or $(FUZZ_SECONDS),600)
FUZZ_SECONDS ?= 600

.PHONY: docs
docs: ## docs/internals/ledger.md from the tables the code is made of
	tools/ledger_doc.py > docs/internals/ledger.md

# The manual and the completions are made from the option tables, by the program that holds them.
$(BUILD)/man/tare.1: $(BUILD)/tare
	@mkdir -p $(@D)
	$(BUILD)/tare help --man > $@
$(BUILD)/man/tare-%.1: $(BUILD)/tare
	@mkdir -p $(@D)
	$(BUILD)/tare help --man $* > $@
$(BUILD)/completion/tare: $(BUILD)/tare
	@mkdir -p $(@D)
	$(BUILD)/tare help --completion bash > $@
$(BUILD)/completion/_tare: $(BUILD)/tare
	@mkdir -p $(@D)
	$(BUILD)/tare help --completion zsh > $@

.PHONY: man
man: $(MANUAL) ## the manual pages, under build/man

.PHONY: completion
completion: $(COMPLETION) ## for bash and zsh, under build/completion

.PHONY: install
install: all man completion ## into PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/tare $(DESTDIR)$(PREFIX)/include/tare
	install -m 755 $(BUILD)/tare $(DESTDIR)$(PREFIX)/bin/tare
	install -m 755 $(BUILD)/libtare-probe.so $(DESTDIR)$(PREFIX)/lib/tare/libtare-probe.so
	install -d $(addprefix $(DESTDIR)$(PREFIX)/lib/tare/python/,inject tare store)
	for file in $(PYTHON_SRC:adapters/python/%=%); do \
	    install -m 644 adapters/python/$$file $(DESTDIR)$(PREFIX)/lib/tare/python/$$file; done
	install -d $(DESTDIR)$(PREFIX)/lib/tare/node/modules/tare
	for file in $(NODE_OUT:$(BUILD)/node/%=%); do \
	    install -m 644 $(BUILD)/node/$$file $(DESTDIR)$(PREFIX)/lib/tare/node/$$file; done
	install -m 644 include/tare/mark.h $(DESTDIR)$(PREFIX)/include/tare/mark.h
	install -d $(DESTDIR)$(PREFIX)/share/doc/tare
	install -m 644 LICENSE $(wildcard docs/*.md) docs/report.schema.json $(DESTDIR)$(PREFIX)/share/doc/tare
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -m 644 $(MANUAL) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/completion/tare $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tare
	install -m 644 $(BUILD)/completion/_tare $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tare

# ---- packages (docs/packages.md): the program of the wheel and of npm's carries its libraries ----
PORTABLE_LIBS := -Wl,--start-group -Wl,-Bstatic $(filter-out -lm,$(LIBS)) -lbz2 -llzma \
                 -Wl,-Bdynamic -Wl,--end-group -lm
STAGE := $(BUILD)/stage
PACKAGE = tools/package $@ --version $(VERSION) --stage $(STAGE)/usr --out $(BUILD)/dist

$(BUILD)/portable/tare: $(CLI_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(PORTABLE_LIBS)

.PHONY: stage
stage: all man completion
	@rm -rf $(STAGE)
	@$(MAKE) --no-print-directory -s install DESTDIR=$(STAGE) PREFIX=/usr

.PHONY: wheel npm deb
wheel: stage $(BUILD)/portable/tare ## a package for pip, under build/dist
	$(PACKAGE) --portable $(BUILD)/portable/tare
npm: stage $(BUILD)/portable/tare ## a package for npm, under build/dist
	$(PACKAGE) --portable $(BUILD)/portable/tare
deb: stage ## a package for Debian, under build/dist
	$(PACKAGE)

.PHONY: clean
clean: ## remove what was built
	rm -rf build

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|'

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(PROBE_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(SIMULATE_OBJ:.o=.d) $(CHANGEABLE_OBJ:.o=.d)
