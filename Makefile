# SPDX-License-Identifier: MIT
#
# The one makefile: "make help" lists the targets. configure's answers come from
# config.mk; a build in another directory includes this file from there.

ifneq ($(origin SRCDIR),file)
SRCDIR := .
endif
BUILD := build
# The sources, as a prefix of a path; empty where they are here.
S := $(if $(filter-out .,$(SRCDIR)),$(SRCDIR)/)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2);)

.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: all FORCE
all:

ifneq ($(filter-out clean distclean help,$(or $(MAKECMDGOALS),all)),)
include config.mk
endif
config.mk: $Sconfigure $(wildcard $Sconfig/try_*)
	$(or $(RECONFIGURE),$(SRCDIR)/configure)

# What there is

VERSION := $(shell awk '/define IO_URING_VERSION_M(AJ|IN)OR/ { printf "%s%s", dot, $$3; dot = "." }' \
	$Sinclude/liburing/io_uring_version.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
LIBS := liburing liburing-ffi
ARCHIVES := $(LIBS:%=$(BUILD)/%.a)
SHARED := $(LIBS:%=$(BUILD)/%.so.$(VERSION))
PCFILES := $(LIBS:%=$(BUILD)/%.pc) $(BUILD)/liburingx.pc
HEADERS := $(patsubst $Sinclude/%,%,$(wildcard $(addprefix $Sinclude/,*.h */*.h */*/*.h)))
MANPAGES := $(patsubst $Sman/%,%,$(wildcard $Sman/*.[1-9]))

SOURCES := $(filter-out ffi nolibc,$(basename $(notdir $(wildcard $Ssrc/*.c))))
NOLIBC := $(if $(filter libc,$(ARCH)),,nolibc)
liburing_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(SOURCES) $(NOLIBC))
liburing-ffi_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(filter-out compat_syms,$(SOURCES)) $(NOLIBC) ffi)

# The reader, a library of its own above liburing.
X_VERSION := 0.1
X_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Ssrc/uringx/*.c))
X_SHARED := $(BUILD)/liburingx.so.$(X_VERSION)

EXAMPLES := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Sexamples/*.c $Sexamples/porting/*.c))
EXAMPLE_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Sexamples/common/*.c))
TOOLS := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Stools/*.c))

TEST_AREAS := unit ring op register regress cxx uringx
tests_in = $(patsubst $S%$(2),$(BUILD)/%,$(wildcard $(foreach area,$(1),$Stest/$(area)/*$(2))))
UNIT_TESTS := $(call tests_in,unit,.c)
RING_TESTS := $(call tests_in,$(filter-out unit,$(TEST_AREAS)),.c)
CXX_TESTS := $(if $(filter yes,$(HAVE_CXX)),$(call tests_in,$(TEST_AREAS),.cc))
SHELL_TESTS := $(wildcard $(TEST_AREAS:%=$Stest/%/*.sh))
TESTS := $(UNIT_TESTS) $(RING_TESTS) $(CXX_TESTS)
SUPPORT_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/support/*.c))
FAKE_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/unit/fake/*.c)) \
	$(SOURCES:%=$(BUILD)/fake/%.o)

# How it is compiled

MAP_PREFIX := -ffile-prefix-map=$(abspath $(SRCDIR))/= -ffile-prefix-map=$(CURDIR)=.
WARN := -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wvla
CWARN := $(WARN) -Wstrict-prototypes -Wmissing-prototypes
SANFLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
DEFINES := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(if $(filter yes,$(DEBUG)),-DLIBURING_DEBUG)
COMMON := $(DEFINES) -I$Sinclude $(SANFLAGS) $(MAP_PREFIX)
CCOMPILE := $(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(COMMON)
CXXCOMPILE := $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(COMMON)
DEPS = -MMD -MP -MF $@.d -MT $@
LINKFLAGS := $(SANFLAGS) $(LDFLAGS)

LIBCOMPILE := $(CCOMPILE) -fPIC -fvisibility=hidden -iquote $Ssrc/arch/$(ARCH)
SHLINK := $(CC) $(CFLAGS) $(LINKFLAGS) -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
	-Wl,-Bsymbolic-functions $(if $(SANITIZE),,-Wl,-z,defs)
ifneq ($(NOLIBC),)
# With -flto the compiler makes up calls of the memory functions too late for
# nolibc.h: there the archive leaves them to the program's libc.
LTO := $(findstring -flto,$(CFLAGS))
LIBCOMPILE += -fno-stack-protector -U_FORTIFY_SOURCE $(if $(LTO),,-include $Ssrc/nolibc.h)
SHLINK += -nostdlib $(foreach f,memcmp memcpy memmove memset,-Wl,--defsym=$f=iou_$f)
SHLIBS := $(shell $(CC) $(CFLAGS) -print-libgcc-file-name)
endif

TESTFLAGS := $(WARN) -Wno-unused-parameter -pthread -I$Stest/support -I$(BUILD)/test
FAKEFLAGS := -iquote $Stest/unit/fake -iquote $Ssrc

# Objects are made anew when the commands that make them change.
COMMANDS := $(LIBCOMPILE) : $(CXXCOMPILE) : $(SHLINK) $(SHLIBS) : $(TESTFLAGS) : $(AR)
$(BUILD)/commands: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(COMMANDS))' | cmp -s - $@ || echo '$(subst ','\'',$(COMMANDS))' >$@

# The libraries

all: $(ARCHIVES) $(SHARED) $(BUILD)/liburingx.a $(X_SHARED)

$(BUILD)/obj/%.o: $Ssrc/%.c $(BUILD)/commands
	$(call say,CC,$(<:$S%=%))mkdir -p $(@D)
	$Q$(LIBCOMPILE) $(CWARN) $(DEPS) -c $< -o $@
# Only what enters the kernel or is inlined is worth more bytes.
$(patsubst %,$(BUILD)/obj/%.o,$(filter-out submit peek compat_syms,$(SOURCES))): \
	private LIBCOMPILE += $(if $(filter -O2,$(CFLAGS)),-Os)
$(BUILD)/obj/ffi.o: private CWARN += -Wno-missing-prototypes
$(BUILD)/obj/nolibc.o: private LIBCOMPILE += -fno-builtin -fno-lto

$(BUILD)/%.map: $Ssrc/api.def $Stools/gen-map
	@mkdir -p $(@D)
	$Q$Stools/gen-map $* $< >$@

.SECONDEXPANSION:
$(ARCHIVES): $(BUILD)/%.a: $$($$*_OBJ)
	$(call say,AR,$@)rm -f $@
	$Q$(AR) rcsD $@ $^

$(SHARED): $(BUILD)/%.so.$(VERSION): $(BUILD)/%.map $$($$*_OBJ)
	$(call say,LD,$@):
	$Q$(SHLINK) -Wl,-soname,$*.so.$(SOVERSION) -Wl,--version-script,$< -o $@ \
		$(filter %.o,$^) $(SHLIBS)
	@ln -sf $(@F) $(BUILD)/$*.so.$(SOVERSION)
	@ln -sf $(@F) $(BUILD)/$*.so

$(X_OBJ): private CCOMPILE += -fPIC
$(BUILD)/liburingx.a: $(X_OBJ)
	$(call say,AR,$@)rm -f $@
	$Q$(AR) rcsD $@ $^
$(X_SHARED): $Ssrc/uringx/liburingx.map $(X_OBJ) $(filter %/liburing.so.$(VERSION),$(SHARED))
	$(call say,LD,$@):
	$Q$(CC) $(CFLAGS) $(LINKFLAGS) -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
		$(if $(SANITIZE),,-Wl,-z,defs) -Wl,-soname,liburingx.so.0 -Wl,--version-script,$< \
		-o $@ $(filter-out $<,$^)
	@ln -sf $(@F) $(BUILD)/liburingx.so.0
	@ln -sf $(@F) $(BUILD)/liburingx.so

below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
$(BUILD)/liburingx.pc: private VERSION := $(X_VERSION)
$(BUILD)/%.pc: $S%.pc.in config.mk $Sinclude/liburing/io_uring_version.h
	@mkdir -p $(@D)
	$Qsed -e 's|@PREFIX@|$(PREFIX)|; s|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' \
		-e 's|@LIBDEVDIR@|$(call below_prefix,$(LIBDEVDIR))|; s|@VERSION@|$(VERSION)|' $< >$@

# Examples and tools

.PHONY: examples tools demo
examples: $(EXAMPLES)
tools: $(TOOLS)

$(BUILD)/%.o: $S%.c $(BUILD)/commands
	$(call say,CC,$(<:$S%=%))mkdir -p $(@D)
	$Q$(CCOMPILE) $(CWARN) -pthread $(DEPS) -c $< -o $@

$(EXAMPLES): $(EXAMPLE_OBJ)
$(EXAMPLES): $(BUILD)/liburingx.a
$(EXAMPLES) $(TOOLS): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/liburing.a
	$(call say,LD,$@):
	$Q$(CC) $(CFLAGS) -pthread $(LINKFLAGS) $(filter %.o,$^) $(filter %x.a,$^) \
		$(BUILD)/liburing.a -o $@

RUN_ENV := SRCDIR=$(abspath $(SRCDIR)) BUILD_DIR=$(abspath $(BUILD)) \
	EXAMPLES_DIR=$(abspath $(BUILD)/examples) TOOLS_DIR=$(abspath $(BUILD)/tools) \
	CC='$(CC)' CXX='$(if $(filter yes,$(HAVE_CXX)),$(CXX))'
demo: all examples tools
	@$(RUN_ENV) $Stools/demo $(BUILD)

# Benchmarks. PEER=PREFIX compares with another installation, run by run.

.PHONY: bench bench-build bench-instructions
BENCHES := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Sbench/*.c))
PEER_LIB := $(if $(PEER),$(or $(firstword $(wildcard $(addprefix $(PEER)/lib,/liburing.a /*/liburing.a \
	64/liburing.a))),$(error no liburing.a below $(PEER))))
PEER_BENCHES := $(if $(PEER),$(BENCHES:$(BUILD)/%=$(BUILD)/peer/%))
BENCH_ENV = $(RUN_ENV) PEER_LIB='$(PEER_LIB)'

$(BUILD)/peer/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PEER)' | cmp -s - $@ || echo '$(PEER)' >$@
$(PEER_BENCHES:=.o): $(BUILD)/peer/%.o: $S%.c $(BUILD)/commands $(BUILD)/peer/prefix
	$(call say,CC,"$(<:$S%=%) for $(PEER)")mkdir -p $(@D)
	$Q$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(DEFINES) $(WARN) -I$(PEER)/include -pthread $(DEPS) -c $< -o $@
$(BENCHES): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/liburing.a
$(PEER_BENCHES): $(BUILD)/peer/%: $(BUILD)/peer/%.o $(PEER_LIB)
$(BENCHES) $(PEER_BENCHES):
	$(call say,LD,$@):
	$Q$(CC) $(CFLAGS) -static -pthread $(LINKFLAGS) $^ -o $@

bench-build: all examples tools $(BENCHES) $(PEER_BENCHES)
bench: bench-build
	@$(BENCH_ENV) $Stools/bench-run
bench-instructions: all $(BUILD)/bench/instructions $(if $(PEER),$(BUILD)/peer/bench/instructions)
	@$(BENCH_ENV) $Stools/bench-instructions

# Tests. T=WORD chooses those with WORD in their path.

.PHONY: test check test-build check-api
chosen = $(if $T,$(foreach test,$(1),$(if $(findstring $T,$(test:$S%=%)),$(test))),$(1))
check: test
test-build: all $(call chosen,$(TESTS:%=%$(if $(filter yes,$(RUNS)),,.o))) $(EXAMPLES) $(TOOLS)
test: test-build
ifeq ($(RUNS),yes)
	@$(RUN_ENV) $Stools/run-tests $(call chosen,$(TESTS) $(SHELL_TESTS))
else
	@echo "Compiled, not run: what $(CC) makes does not run on this machine."
endif

check-api: all
	@$(RUN_ENV) $Stools/check-api

CMOCKA := $(BUILD)/test/cmocka
$(CMOCKA).cflags: $(BUILD)/commands
	@mkdir -p $(@D)
	@CMOCKA_LINK=$(RUNS) $Stools/find-cmocka $(CMOCKA) $(CC) $(CPPFLAGS) $(CFLAGS) $(LINKFLAGS)

# Tables that the tests compile in: test/x.inc from tools/gen-x and its data.
gen-abi-asserts_DATA := $(wildcard $Stest/data/uapi-constants.tsv $Stest/data/uapi-structs.tsv)
gen-prep-golden_DATA := $(wildcard $Stest/data/sqe-vectors.tsv)
GENERATED := $(if $(wildcard $Stools/gen-abi-asserts),$(BUILD)/test/abi_asserts.inc) \
	$(if $(wildcard $Stools/gen-prep-golden),$(BUILD)/test/prep_golden.inc)
$(GENERATED): $(BUILD)/test/%.inc: $Stools/gen-$$(subst _,-,$$*) $$(gen-$$(subst _,-,$$*)_DATA)
	@mkdir -p $(@D)
	$Q$^ >$@

$(BUILD)/test/%.o: $Stest/%.c $(BUILD)/commands $(CMOCKA).cflags | $(GENERATED)
	$(call say,CC,$(<:$S%=%))mkdir -p $(@D)
	$Q$(CCOMPILE) $(TESTFLAGS) @$(CMOCKA).cflags $(DEPS) -c $< -o $@
$(BUILD)/test/%.o: $Stest/%.cc $(BUILD)/commands $(CMOCKA).cflags
	$(call say,CXX,$(<:$S%=%))mkdir -p $(@D)
	$Q$(CXXCOMPILE) $(TESTFLAGS) @$(CMOCKA).cflags $(DEPS) -c $< -o $@
$(BUILD)/fake/%.o: $Ssrc/%.c $(BUILD)/commands
	$(call say,CC,"$(<:$S%=%) for the fake kernel")mkdir -p $(@D)
	$Q$(CCOMPILE) $(WARN) $(FAKEFLAGS) $(DEPS) -c $< -o $@
$(BUILD)/test/unit/%.o: private TESTFLAGS += $(FAKEFLAGS)

$(UNIT_TESTS): $(BUILD)/%: $(BUILD)/%.o $(SUPPORT_OBJ) $(FAKE_OBJ)
$(RING_TESTS) $(CXX_TESTS): $(BUILD)/%: $(BUILD)/%.o $(SUPPORT_OBJ) $(BUILD)/liburingx.a $(BUILD)/liburing.a
$(CXX_TESTS): private CCOMPILE = $(CXXCOMPILE)
$(TESTS):
	$(call say,LD,$@):
	$Q$(CCOMPILE) -pthread $(LINKFLAGS) $^ -o $@ @$(CMOCKA).libs

# Installation: what install writes, uninstall removes.

.PHONY: install uninstall
put = install -D -m $(1) $(2) '$(DESTDIR)$(3)'
INSTALLED := $(HEADERS:%=$(INCLUDEDIR)/%) $(ARCHIVES:$(BUILD)/%=$(LIBDEVDIR)/%) \
	$(LIBDEVDIR)/liburingx.a $(LIBDEVDIR)/liburingx.so $(LIBDIR)/liburingx.so.0 \
	$(X_SHARED:$(BUILD)/%=$(LIBDIR)/%) \
	$(PCFILES:$(BUILD)/%=$(LIBDEVDIR)/pkgconfig/%) $(LIBS:%=$(LIBDEVDIR)/%.so) \
	$(SHARED:$(BUILD)/%=$(LIBDIR)/%) $(LIBS:%=$(LIBDIR)/%.so.$(SOVERSION)) \
	$(foreach page,$(MANPAGES),$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(page))

install: all $(PCFILES)
	@set -e; $(foreach h,$(HEADERS),$(call put,644,$Sinclude/$h,$(INCLUDEDIR)/$h);)
	@set -e; $(foreach f,$(ARCHIVES) $(BUILD)/liburingx.a,$(call put,644,$f,$(LIBDEVDIR)/$(notdir $f));)
	@set -e; $(foreach f,$(PCFILES),$(call put,644,$f,$(LIBDEVDIR)/pkgconfig/$(notdir $f));)
	@set -e; $(foreach f,$(SHARED) $(X_SHARED),$(call put,755,$f,$(LIBDIR)/$(notdir $f));)
	@set -e; $(foreach l,$(LIBS),ln -sf $l.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$l.so.$(SOVERSION)'; \
		ln -sf $(DEVLINK)$l.so.$(VERSION) '$(DESTDIR)$(LIBDEVDIR)/$l.so';)
	@ln -sf $(notdir $(X_SHARED)) '$(DESTDIR)$(LIBDIR)/liburingx.so.0'
	@ln -sf $(DEVLINK)$(notdir $(X_SHARED)) '$(DESTDIR)$(LIBDEVDIR)/liburingx.so'
	@set -e; $(foreach page,$(MANPAGES),$(call put,644,$Sman/$(page),$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(page));):
	@echo 'Installed below $(DESTDIR)$(PREFIX). Run ldconfig if programs do not find the new library.'

uninstall:
	@rm -f $(foreach f,$(INSTALLED),'$(DESTDIR)$f')
	@for dir in $(foreach d,$(sort $(dir $(filter-out %liburing.h,$(HEADERS)))),'$(DESTDIR)$(INCLUDEDIR)/$d'); do \
		echo $$dir; done | sort -r | xargs rmdir 2>/dev/null || :

# The rest

.PHONY: clean distclean help
clean:
	rm -rf $(BUILD)
distclean: clean
	rm -f config.mk config.log$(if $S, Makefile)

help:
	@printf '%s\n' \
		'make              both libraries, static and shared, in $(BUILD)/' \
		'make demo         read a file in four ways through a ring, and compare them' \
		'make test         all tests (also: make check; T=WORD chooses by path)' \
		'make test-build   the same, without running them' \
		'make check-api    src/api.def against headers and libraries' \
		'make bench        all benchmarks (PEER=PREFIX: against another library, BENCH_QUICK=1)' \
		'make bench-instructions   what a request costs, against bench/goals.tsv' \
		'make examples     what is in examples/, in $(BUILD)/examples/' \
		'make install      (DESTDIR=DIR is put before every path)' \
		'make uninstall    removes what install wrote' \
		'make clean        removes $(BUILD)/' \
		'make distclean    and what configure wrote' \
		'V=1 shows the commands. ./configure --help tells how to choose the rest.'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
