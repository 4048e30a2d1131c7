# SPDX-License-Identifier: MIT
#
# A part of the Makefile. The tests in test/order: the library's sources, unaided by
# notes for sanitizers, with a kernel whose side another thread plays. order-test
# builds and runs nothing else, for a build with --enable-tsan.

.PHONY: order-test
ORDERFLAGS := $(FAKEFLAGS) -I$Stest/order/kernel -DLIBURING_NO_NOTES
ORDER_LIB := $(SOURCES:%=$(BUILD)/test/order/lib/%.o)
ORDER_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/order/kernel/*.c)) $(ORDER_LIB)

$(ORDER_LIB): $(BUILD)/test/order/lib/%.o: $Ssrc/%.c $(BUILD)/commands
	$(call say,CC,"$(<:$S%=%) for the kernel of two threads")mkdir -p $(@D)
	$Q$(CCOMPILE) $(WARN) $(ORDERFLAGS) $(DEPS) -c $< -o $@
$(BUILD)/test/order/%.o: private TESTFLAGS += $(ORDERFLAGS)
$(ORDER_TESTS): $(BUILD)/%: $(BUILD)/%.o $(SUPPORT_OBJ) $(ORDER_OBJ) $$(call parts,$$*)

order-test: $(ORDER_TESTS)
	@$(RUN_ENV) TEST_JOBS=1 $Stools/run-tests $(ORDER_TESTS)
