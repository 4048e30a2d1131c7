/* SPDX-License-Identifier: MIT */
#ifndef EXAMPLES_COMMON_REFUSAL_H
#define EXAMPLES_COMMON_REFUSAL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * explain_refusal - say why this system gave no ring, and what to do about it.
 *
 * err is the negative errno of a failed set-up and setup_flags what it asked
 * for. Returns false, with nothing written to out, where it is not the system
 * that refuses but the call that is wrong.
 */
bool explain_refusal(FILE *out, int err, unsigned int setup_flags);

/*
 * explain_refused_enter - the same for the error of a submit or a wait.
 *
 * A filter may allow set-up and refuse what comes after it. Other errors are no refusals:
 * nothing is written then.
 */
void explain_refused_enter(FILE *out, int err);

#endif
