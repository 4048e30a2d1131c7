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
.PHONY: all FORCE examples tools demo test check test-build check-api install uninstall clean distclean help
.DELETE_ON_ERROR:
all:

ifneq ($(filter-out clean distclean help,$(or $(MAKECMDGOALS),all)),)
include config.mk
endif
config.mk: $Sconfigure $(wildcard $Sconfig/try_*)
	$(or $(RECONFIGURE),$(SRCDIR)/configure)

# What there is

VERSION := $(shell awk '/define IO_URING_VERSION_M(AJ|IN)OR/ { printf "%s%s", dot, $$3; dot = "." }' \
	$Sinclude/liburing/io_uring_version.h)
LIBS := liburing liburing-ffi liburingx
liburing_VERSION := $(VERSION)
liburing-ffi_VERSION := $(VERSION)
liburingx_VERSION := 0.1
so_file = $(1).so.$($(1)_VERSION)
so_name = $(1).so.$(firstword $(subst ., ,$($(1)_VERSION)))
PRODUCTS := $(foreach l,$(LIBS),$(BUILD)/$l.a $(BUILD)/$(call so_file,$l))
HEADERS := $(patsubst $Sinclude/%,%,$(wildcard $(addprefix $Sinclude/,*.h */*.h */*/*.h)))

# The checks of a debug build: what every program that uses it has to define.
CHECKS := $(if $(filter yes,$(DEBUG)),-DLIBURING_DEBUG)
SOURCES := $(filter-out ffi nolibc $(if $(CHECKS),,debug%),$(basename $(notdir $(wildcard $Ssrc/*.c))))
NOLIBC := $(if $(filter libc,$(ARCH)),,nolibc)
liburing_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(SOURCES) $(NOLIBC))
liburing-ffi_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(filter-out compat_syms,$(SOURCES)) $(NOLIBC) ffi)
liburingx_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Ssrc/uringx/*.c))

EXAMPLES := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Sexamples/*.c $Sexamples/porting/*.c))
EXAMPLE_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Sexamples/common/*.c))
TOOLS := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Stools/*.c))

TEST_AREAS := unit order ring op register regress cxx uringx stress
tests_in = $(patsubst $S%$(2),$(BUILD)/%,$(wildcard $(foreach area,$(1),$Stest/$(area)/*$(2))))
UNIT_TESTS := $(call tests_in,unit,.c)
ORDER_TESTS := $(call tests_in,order,.c)
RING_TESTS := $(call tests_in,$(filter-out unit order,$(TEST_AREAS)),.c)
CXX_TESTS := $(if $(filter yes,$(HAVE_CXX)),$(call tests_in,$(TEST_AREAS),.cc))
SHELL_TESTS := $(wildcard $(TEST_AREAS:%=$Stest/%/*.sh))
TESTS := $(UNIT_TESTS) $(ORDER_TESTS) $(RING_TESTS) $(CXX_TESTS)
SUPPORT_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/support/*.c))
FAKE_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/unit/fake/*.c)) \
	$(SOURCES:%=$(BUILD)/fake/%.o)

# How it is compiled

MAP_PREFIX := -ffile-prefix-map=$(abspath $(SRCDIR))/= -ffile-prefix-map=$(CURDIR)=.
WARN := -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wvla
CWARN := $(WARN) -Wstrict-prototypes -Wmissing-prototypes
SANFLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
DEFINES := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(CHECKS)
COMMON := $(DEFINES) -I$Sinclude $(SANFLAGS) $(MAP_PREFIX)
CCOMPILE := $(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(COMMON)
CXXCOMPILE := $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(COMMON)
DEPS = -MMD -MP -MF $@.d -MT $@
LINKFLAGS := $(SANFLAGS) $(LDFLAGS)

LIBCOMPILE := $(CCOMPILE) -fPIC -fvisibility=hidden -iquote $Ssrc/arch/$(ARCH)
# A static link is one of programs. Sanitizers are linked to the program, too.
SHLINK := $(CC) $(CFLAGS) $(filter-out -static -static-pie,$(LINKFLAGS)) -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack \
	-Wl,-Bsymbolic-functions $(if $(findstring -fsanitize,$(CFLAGS) $(LINKFLAGS)),,-Wl,-z,defs)
ifneq ($(NOLIBC),)
# With -flto the compiler makes up calls of the memory functions too late for
# nolibc.h: there the archive leaves them to the program's libc.
LIBCOMPILE += -fno-stack-protector -U_FORTIFY_SOURCE \
	$(if $(findstring -flto,$(CFLAGS)),,-include $Ssrc/nolibc.h)
liburing_LINK := -nostdlib $(foreach f,memcmp memcpy memmove memset,-Wl,--defsym=$f=iou_$f) \
	$(shell $(CC) $(CFLAGS) -print-libgcc-file-name)
liburing-ffi_LINK := $(liburing_LINK)
endif
# With what it needs of liburing inside, since an older liburing.so may come first at run
# time. But the checks of a debug build know the rings of one library.
liburingx_LINK := $(BUILD)/$(if $(CHECKS),$(call so_file,liburing),liburing.a)

TESTFLAGS := $(WARN) -Wno-unused-parameter -pthread -I$Stest/support -I$(BUILD)/test
FAKEFLAGS := -iquote $Stest/unit/fake -iquote $Ssrc

# Objects are made anew when the commands that make them change.
COMMANDS := $(LIBCOMPILE) : $(CXXCOMPILE) : $(SHLINK) $(liburing_LINK) : $(TESTFLAGS) : $(AR)
$(BUILD)/commands: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(COMMANDS))' | cmp -s - $@ || echo '$(subst ','\'',$(COMMANDS))' >$@

# The libraries

all: $(PRODUCTS)

$(BUILD)/obj/%.o: $Ssrc/%.c $(BUILD)/commands
	$(call say,CC,$(<:$S%=%))mkdir -p $(@D)
	$Q$(LIBCOMPILE) $(CWARN) $(DEPS) -c $< -o $@
# Only what enters the kernel or is inlined is worth more bytes.
$(patsubst %,$(BUILD)/obj/%.o,$(filter-out submit peek compat_syms,$(SOURCES))): \
	private LIBCOMPILE += $(if $(filter -O2,$(CFLAGS)),-Os)
# What neither waits nor calls back needs no unwind data in memory: a back trace through
# a wait meets none of it. Debug information has it still.
$(patsubst %,$(BUILD)/obj/%.o,register register_files register_buffers buf_ring \
		memory_size probe version nolibc ring_map resize): \
	private LIBCOMPILE += -fno-asynchronous-unwind-tables
$(BUILD)/obj/ffi.o: private CWARN += -Wno-missing-prototypes
$(BUILD)/obj/nolibc.o: private LIBCOMPILE += -fno-builtin -fno-lto
$(liburingx_OBJ): private CCOMPILE += -fPIC

$(BUILD)/%.map: $Ssrc/api.def $(if $(CHECKS),$Ssrc/debug.def) $Stools/gen-map
	@mkdir -p $(@D)
	$Q$Stools/gen-map $* $(filter %.def,$^) >$@
$(BUILD)/liburingx.map: $Ssrc/uringx/liburingx.map
	@cp $< $@

define library
$(BUILD)/$(1).a: $($(1)_OBJ)
	$$(call say,AR,$$@)rm -f $$@
	$Q$(AR) rcsD $$@ $$^
$(BUILD)/$(call so_file,$(1)): $(BUILD)/$(1).map $($(1)_OBJ) $(filter $(BUILD)/%,$($(1)_LINK))
	$$(call say,LD,$$@):
	$Q$(SHLINK) -Wl,-soname,$(call so_name,$(1)) -Wl,--version-script,$$< -o $$@ \
		$($(1)_OBJ) $($(1)_LINK)
	@ln -sf $$(@F) $(BUILD)/$(call so_name,$(1))
	@ln -sf $$(@F) $(BUILD)/$(1).so
endef
$(foreach l,$(LIBS),$(eval $(call library,$l)))

below_prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))
$(BUILD)/%.pc: $S%.pc.in config.mk $Sinclude/liburing/io_uring_version.h
	@mkdir -p $(@D)
	$Qsed -e 's|@PREFIX@|$(PREFIX)|; s|@INCLUDEDIR@|$(call below_prefix,$(INCLUDEDIR))|' \
		-e 's|@LIBDEVDIR@|$(call below_prefix,$(LIBDEVDIR))|; s|@VERSION@|$($*_VERSION)|; s|@CHECKS@|$(CHECKS:%= %)|' $< >$@

# Examples and tools

examples: $(EXAMPLES)
tools: $(TOOLS)

$(BUILD)/%.o: $S%.c $(BUILD)/commands
	$(call say,CC,$(<:$S%=%))mkdir -p $(@D)
	$Q$(CCOMPILE) $(CWARN) -pthread $(DEPS) -c $< -o $@

$(EXAMPLES): $(EXAMPLE_OBJ) $(BUILD)/liburingx.a
$(EXAMPLES) $(TOOLS): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/liburing.a
	$(call say,LD,$@):
	$Q$(CC) $(CFLAGS) -pthread $(LINKFLAGS) $(filter %.o,$^) $(filter %x.a,$^) $(BUILD)/liburing.a -o $@

RUN_ENV := SRCDIR=$(abspath $(SRCDIR)) BUILD_DIR=$(abspath $(BUILD)) DEBUG=$(DEBUG) SANITIZE=$(SANITIZE) \
	EXAMPLES_DIR=$(abspath $(BUILD)/examples) TOOLS_DIR=$(abspath $(BUILD)/tools) \
	CC='$(CC)' CXX='$(if $(filter yes,$(HAVE_CXX)),$(CXX))'
demo: all examples tools
	@$(RUN_ENV) $Stools/demo $(BUILD)

include $Sbench/bench.mk

# Tests. T=WORD chooses those with WORD in their path.

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
gen-abi-asserts_DATA := $Stest/data/uapi-constants.tsv $Stest/data/uapi-structs.tsv
gen-prep-golden_DATA := $Stest/data/sqe-vectors.tsv
GENERATED := $(BUILD)/test/abi_asserts.inc $(BUILD)/test/prep_golden.inc
.SECONDEXPANSION:
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

# What a unit test has in files of its own: those in test/unit/NAME_parts.
parts = $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $S$(1)_parts/*.c))
$(UNIT_TESTS): $(BUILD)/%: $(BUILD)/%.o $(SUPPORT_OBJ) $(FAKE_OBJ) $$(call parts,$$*)
$(RING_TESTS) $(CXX_TESTS): $(BUILD)/%: $(BUILD)/%.o $(SUPPORT_OBJ) $(BUILD)/liburingx.a $(BUILD)/liburing.a
$(CXX_TESTS): private CCOMPILE = $(CXXCOMPILE)
$(TESTS):
	$(call say,LD,$@):
	$Q$(CCOMPILE) -pthread $(LINKFLAGS) $^ -o $@ @$(CMOCKA).libs

include $Stest/order/order.mk
include $Stest/stress/stress.mk
include $Stest/fuzz/fuzz.mk
include $Stest/coverage.mk

# Installation: what install writes, uninstall removes.

include $Sman/man.mk

# Their places are inside the pkg-config files and one another: configure's alone to choose.
DIR_NAMES := prefix includedir libdir libdevdir datadir mandir
DIR_NAMES += PREFIX INCLUDEDIR LIBDIR LIBDEVDIR DATADIR MANDIR
GIVEN := $(if $(filter install uninstall,$(MAKECMDGOALS)),$(foreach d,$(DIR_NAMES),$(origin $d)))
ifneq ($(filter command,$(GIVEN)),)
$(error Directories are chosen with ./configure --prefix=DIR and the like; DESTDIR=DIR is for staging)
endif
ifneq ($(findstring ',$(DESTDIR)),)
$(error DESTDIR is a directory without quotes, not $(DESTDIR))
endif

put = install -D -m $(1) $(2) '$(DESTDIR)$(3)'
INSTALLED := $(HEADERS:%=$(INCLUDEDIR)/%) \
	$(foreach l,$(LIBS),$(addprefix $(LIBDEVDIR)/,$l.a $l.so pkgconfig/$l.pc) \
		$(addprefix $(LIBDIR)/,$(call so_file,$l) $(call so_name,$l)))

install: all $(LIBS:%=$(BUILD)/%.pc) install-man
	@set -e; $(foreach h,$(HEADERS),$(call put,644,$Sinclude/$h,$(INCLUDEDIR)/$h);)
	@set -e; $(foreach l,$(LIBS),$(call put,644,$(BUILD)/$l.a,$(LIBDEVDIR)/$l.a); \
		$(call put,644,$(BUILD)/$l.pc,$(LIBDEVDIR)/pkgconfig/$l.pc); \
		$(call put,755,$(BUILD)/$(call so_file,$l),$(LIBDIR)/$(call so_file,$l)); \
		ln -sf $(call so_file,$l) '$(DESTDIR)$(LIBDIR)/$(call so_name,$l)'; \
		ln -sf $(DEVLINK)$(call so_file,$l) '$(DESTDIR)$(LIBDEVDIR)/$l.so';)
	@echo 'Installed below $(DESTDIR)$(PREFIX). Run ldconfig if programs do not find the new library.'

uninstall: uninstall-man
	@rm -f $(foreach f,$(INSTALLED),'$(DESTDIR)$f')
	@for dir in $(foreach d,$(sort $(dir $(filter-out %liburing.h,$(HEADERS)))),'$(DESTDIR)$(INCLUDEDIR)/$d'); do \
		echo "$$dir"; done | sort -r | while read -r dir; do rmdir "$$dir" 2>/dev/null || :; done

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
		'make stress       load for two minutes on the real kernel, STRESS_SECONDS=120' \
		'make fuzz         fuzz with clang, FUZZ_SECONDS=300 each' \
		'make coverage     lines and branches that the tests reach; needs gcc and lcov' \
		'make check-api    src/api.def against headers and libraries' \
		'make doc          the manual as web pages, in $(BUILD)/html/' \
		'make check-man    the manual against headers and code, M=WORD chooses pages' \
		'make bench        all benchmarks (PEER=PREFIX: against another library, BENCH_QUICK=1)' \
		'make bench-instructions   what a request costs, against bench/goals.tsv' \
		'make examples     what is in examples/, in $(BUILD)/examples/' \
		'make install      (DESTDIR=DIR is put before every path)' \
		'make uninstall    removes what install wrote' \
		'make clean        removes $(BUILD)/' \
		'make distclean    and what configure wrote' \
		'V=1 shows the commands. ./configure --help tells how to choose the rest.'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
