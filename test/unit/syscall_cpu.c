/* SPDX-License-Identifier: MIT */
/*
 * System calls with every number of arguments, by this CPU's own instruction.
 */
#if defined(__x86_64__) && defined(__LP64__)
#include "../../src/arch/x86_64/syscall.h"
#elif defined(__i386__)
#include "../../src/arch/x86/syscall.h"
#elif defined(__aarch64__) && defined(__LP64__)
#include "../../src/arch/aarch64/syscall.h"
#elif defined(__riscv) && defined(__LP64__)
#include "../../src/arch/riscv64/syscall.h"
#else
#include "../../src/arch/libc/syscall.h"
#endif

#include "syscall_parts/check.h"
