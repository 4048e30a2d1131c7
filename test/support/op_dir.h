/* SPDX-License-Identifier: MIT */
/*
 * A folder for the tests of a program that work with names. It is the working
 * directory while they run, and is removed with all that is in it.
 */
#ifndef TEST_SUPPORT_OP_DIR_H
#define TEST_SUPPORT_OP_DIR_H

#include <stddef.h>
#include <sys/types.h>

/* cmocka fixtures of the group */
int op_dir_setup(void **state);
int op_dir_teardown(void **state);

/* op_dir_sub - a new folder of that name in it, as a descriptor. */
int op_dir_sub(const char *name);

/* op_dir_file - a new file with this content. */
void op_dir_file(int dfd, const char *name, const char *content);

/* op_dir_has - whether the name is there and the mode's type bits are these. */
int op_dir_has(int dfd, const char *name, mode_t type);

/* op_dir_holds - whether the file of this name holds just this content. */
int op_dir_holds(int dfd, const char *name, const char *content);

#endif
