/* SPDX-License-Identifier: BSD-3-Clause */
/* wide.h – number types that not every compiler has, under names of our own.
 *
 * Pairs of numbers are structs, also those of complex numbers: their arithmetic is written out in
 * op_arith.c (C's operator * calls a function per element to get infinities right). */
#ifndef MEND_DATATYPE_WIDE_H
#define MEND_DATATYPE_WIDE_H

#include <float.h>

#ifdef __SIZEOF_INT128__
#define MEND_HAVE_INT128
typedef __int128 mend_int128;
typedef unsigned __int128 mend_uint128;
#endif

#ifdef __FLT16_MANT_DIG__
#define MEND_HAVE_FLOAT16
typedef _Float16 mend_float16;
typedef struct __attribute__((may_alias)) {
    mend_float16 re, im;
} mend_complex16;
#endif

#ifdef __SIZEOF_FLOAT128__
#define MEND_HAVE_FLOAT128
typedef __float128 mend_float128;
#elif LDBL_MANT_DIG == 113
#define MEND_HAVE_FLOAT128
typedef long double mend_float128;
#endif
#ifdef MEND_HAVE_FLOAT128
typedef struct __attribute__((may_alias)) {
    mend_float128 re, im;
} mend_complex128;
#endif

#endif
