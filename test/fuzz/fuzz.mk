# SPDX-License-Identifier: MIT
#
# A part of the Makefile. Fuzzing with clang's libFuzzer, FUZZ_SECONDS (300) each.
# T=WORD chooses targets. What is found is kept in build/fuzz/found/.

.PHONY: fuzz fuzz-build
FUZZ_CC := clang
FUZZ_SECONDS := 300
FUZZERS := $(patsubst $Stest/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard $Stest/fuzz/*.c))
FUZZ_SAN := -fno-sanitize-recover=all -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer
FUZZCOMPILE := $(FUZZ_CC) -g -O1 -std=gnu11 $(WARN) -Wno-unused-parameter $(DEFINES) \
	-I$Sinclude -I$Stest/unit/model_parts $(MAP_PREFIX) $(FUZZ_SAN)-no-link

# The model runs on the fake kernel, the rest on the real one.
FUZZ_REAL := $(SOURCES:%=$(BUILD)/fuzz/real/%.o)
FUZZ_FAKE := $(SOURCES:%=$(BUILD)/fuzz/fake/%.o) $(patsubst $S%.c,$(BUILD)/fuzz/fake/%.o, \
	$(wildcard $Stest/unit/fake/*.c $Stest/unit/model_parts/*.c))
FUZZ_OBJ := $(FUZZ_REAL) $(FUZZ_FAKE) $(FUZZERS:=.o)
$(BUILD)/fuzz/fake/%: private FUZZCOMPILE += $(FAKEFLAGS)
$(BUILD)/fuzz/real/%: private FUZZCOMPILE += -iquote $Ssrc/arch/$(ARCH)

$(BUILD)/fuzz/commands: FORCE
	@mkdir -p $(@D)
	@echo '$(FUZZCOMPILE)' | cmp -s - $@ || echo '$(FUZZCOMPILE)' >$@
$(FUZZ_OBJ): $(BUILD)/fuzz/commands
$(FUZZ_REAL): $(BUILD)/fuzz/real/%.o: $Ssrc/%.c
$(SOURCES:%=$(BUILD)/fuzz/fake/%.o): $(BUILD)/fuzz/fake/%.o: $Ssrc/%.c
$(filter $(BUILD)/fuzz/fake/test/%,$(FUZZ_FAKE)): $(BUILD)/fuzz/fake/%.o: $S%.c
$(FUZZERS:=.o): $(BUILD)/fuzz/%.o: $Stest/fuzz/%.c
$(FUZZ_OBJ):
	$(call say,CC,$@)mkdir -p $(@D)
	$Q$(FUZZCOMPILE) $(DEPS) -c $(filter %.c,$^) -o $@

$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/fuzz/%.o
$(BUILD)/fuzz/model: $(FUZZ_FAKE)
$(BUILD)/fuzz/memory_size: $(FUZZ_REAL)
$(FUZZERS):
	$(call say,LD,$@):
	$Q$(FUZZ_CC) $(FUZZ_SAN) $(filter %.o,$^) -o $@

fuzz-build: $(call chosen,$(FUZZERS))
fuzz: fuzz-build
	@$Stest/fuzz/run $(FUZZ_SECONDS) $(BUILD)/fuzz $(call chosen,$(FUZZERS))
