# SPDX-License-Identifier: MIT
#
# A part of the Makefile. Load on the real kernel: STRESS_SECONDS are shared by the
# programs in test/stress. "make test" runs them for about 20 seconds.

.PHONY: stress
STRESS_SECONDS := 120
STRESS_TESTS := $(call tests_in,stress,.c)
STRESS_OBJ := $(patsubst $S%.c,$(BUILD)/%.o,$(wildcard $Stest/stress/common/*.c))
$(BUILD)/test/stress/%.o: private TESTFLAGS += -I$Stest/stress/common
$(STRESS_TESTS): $(STRESS_OBJ)

stress: $(call chosen,$(STRESS_TESTS))
	@$(RUN_ENV) $Stest/stress/run $(STRESS_SECONDS) $Stools/run-tests $(call chosen,$(STRESS_TESTS))
