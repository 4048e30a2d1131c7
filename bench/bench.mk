# SPDX-License-Identifier: MIT
#
# A part of the Makefile. Benchmarks. PEER=PREFIX compares with another installation, run by run.

.PHONY: bench bench-build bench-instructions
BENCHES := $(patsubst $S%.c,$(BUILD)/%,$(filter-out $Sbench/reader_%,$(wildcard $Sbench/*.c)))
# What measures the reader, which no other installation has.
READER_BENCHES := $(patsubst $S%.c,$(BUILD)/%,$(wildcard $Sbench/reader_*.c))
BENCH_LOADS := $(addprefix $(BUILD)/examples/,read_loop echo_server echo_client)
PEER_LIB := $(if $(PEER),$(or $(firstword $(wildcard $(addprefix $(PEER)/lib,/liburing.a /*/liburing.a \
	64/liburing.a))),$(error PEER is a folder without blanks that has lib/liburing.a, not $(PEER))))
peer = $(if $(PEER),$(1:$(BUILD)/%=$(BUILD)/peer/%))
PEER_PROGRAMS := $(call peer,$(BENCHES) $(BENCH_LOADS))
# The copy program, which needs liburingx, is not measured.
PEER_EXAMPLE_OBJ := $(call peer,$(filter-out $(BUILD)/examples/common/cp_%,$(EXAMPLE_OBJ)))
BENCH_ENV = $(RUN_ENV) PEER_LIB='$(PEER_LIB)'

# The read benchmark compares with libaio where that is installed.
$(BUILD)/bench/read $(call peer,$(BUILD)/bench/read): private BENCH_LIBS = $(shell \
	$(CC) $(CPPFLAGS) -E -include libaio.h -x c /dev/null -o /dev/null 2>/dev/null && echo -laio)

$(BUILD)/peer/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PEER)' | cmp -s - $@ || echo '$(PEER)' >$@
$(PEER_PROGRAMS:=.o) $(PEER_EXAMPLE_OBJ): $(BUILD)/peer/%.o: $S%.c $(BUILD)/commands $(BUILD)/peer/prefix
	$(call say,CC,"$(<:$S%=%) for $(PEER)")mkdir -p $(@D)
	$Q$(CC) $(CPPFLAGS) $(CFLAGS) -std=gnu11 $(DEFINES) $(WARN) -I$(PEER)/include -pthread $(DEPS) -c $< -o $@
$(BENCHES): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/liburing.a
$(READER_BENCHES): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/liburingx.a $(BUILD)/liburing.a
$(PEER_PROGRAMS): $(BUILD)/peer/%: $(BUILD)/peer/%.o
$(call peer,$(BENCH_LOADS)): $(PEER_EXAMPLE_OBJ)
$(PEER_PROGRAMS): $(PEER_LIB)
$(BENCHES) $(READER_BENCHES) $(PEER_PROGRAMS):
	$(call say,LD,$@):
	$Q$(CC) $(CFLAGS) -static -pthread $(LINKFLAGS) $^ $(BENCH_LIBS) -o $@

bench-build: all tools $(BENCHES) $(READER_BENCHES) $(BENCH_LOADS) $(PEER_PROGRAMS)
bench: bench-build
	@exec env $(BENCH_ENV) PEER='$(PEER)' $Stools/bench-run
bench-instructions: all $(BUILD)/bench/instructions $(call peer,$(BUILD)/bench/instructions)
	@$(BENCH_ENV) $Stools/bench-instructions
.PHONY: bench-reader bench-readme
bench-reader: $(READER_BENCHES)
	@$(foreach bench,$^,$(BENCH_ENV) $(bench);)
bench-readme:
	@BUILD_DIR=$(BUILD) $Stools/bench-readme
