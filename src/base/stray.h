/* SPDX-License-Identifier: BSD-3-Clause */
/* stray.h – variables of the environment that look like Mend's, and that nothing reads.
 *
 * A parameter that is misspelt (MEND_EAGER_MAXX) would be ignored silently.  Mend's names are the parameters of
 * param.def and those that stray.c lists.  All others are told of once: by mpiexec, or by a process that was started
 * without it. */
#ifndef MEND_BASE_STRAY_H
#define MEND_BASE_STRAY_H

#define MEND_STRAY_TEXT_BYTES 256

/* If nothing reads the variable of "NAME=VALUE", what is to be said about it, in buf; else NULL. */
const char *mend_stray_text(const char *variable, char buf[MEND_STRAY_TEXT_BYTES]);

#endif
