/* SPDX-License-Identifier: MIT */
/*
 * iou_syscall0 to iou_syscall6: one system call with so many arguments. The
 * kernel's own answer comes back, a negative errno for an error. Interrupt 0x80
 * changes no register but eax.
 */
#ifndef IOU_SYSCALL_H
#define IOU_SYSCALL_H

static inline long iou_syscall0(long nr)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr) : "memory");
	return ret;
}

static inline long iou_syscall1(long nr, long a)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a) : "memory");
	return ret;
}

static inline long iou_syscall2(long nr, long a, long b)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b) : "memory");
	return ret;
}

static inline long iou_syscall3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c)
			 : "memory");
	return ret;
}

static inline long iou_syscall4(long nr, long a, long b, long c, long d)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return ret;
}

static inline long iou_syscall5(long nr, long a, long b, long c, long d, long e)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
			 : "memory");
	return ret;
}

/*
 * The sixth argument goes into ebp, which may be the frame pointer and so cannot
 * be an operand. All other registers are taken: the argument and the old ebp go
 * over the stack. Nothing may be addressed by esp or ebp once the first push is done.
 */
static inline long iou_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
	long ret;

	__asm__ volatile("pushl %[f]\n\t"
			 "pushl %%ebp\n\t"
			 "movl 4(%%esp), %%ebp\n\t"
			 "int $0x80\n\t"
			 "popl %%ebp\n\t"
			 "addl $4, %%esp"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "mi"(f)
			 : "memory", "cc");
	return ret;
}

#endif
