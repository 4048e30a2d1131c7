/* SPDX-License-Identifier: MIT */
/* A compiler with a C library, and the builtins that the ring's barriers use. */
#include <sys/types.h>

int main(void)
{
	unsigned word = 1;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&word, __ATOMIC_ACQUIRE) == 1 ? 0 : 1;
}
