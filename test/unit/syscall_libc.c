/* SPDX-License-Identifier: MIT */
/*
 * System calls with every number of arguments, through libc.
 */
#include "../../src/arch/libc/syscall.h"

#include "syscall_parts/check.h"
