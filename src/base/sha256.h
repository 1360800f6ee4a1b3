/* SPDX-License-Identifier: BSD-3-Clause */
/* sha256.h – SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): who has a key shows it without saying it.
 *
 *   sha256_init, sha256_add ..., sha256_end
 *   hmac = H(key ^ opad, H(key ^ ipad, message)) */
#ifndef MEND_BASE_SHA256_H
#define MEND_BASE_SHA256_H

#include "base/status.h"

#define MEND_SHA256_BYTES 32u
#define MEND_SHA256_BLOCK 64u

struct mend_sha256 {
    uint32_t h[8];
    uint64_t bytes; /* that were added */
    unsigned char block[MEND_SHA256_BLOCK];
};

void mend_sha256_init(struct mend_sha256 *s);
void mend_sha256_add(struct mend_sha256 *s, const void *bytes, size_t n);
void mend_sha256_end(struct mend_sha256 *s, unsigned char out[MEND_SHA256_BYTES]);

void mend_hmac_sha256(const void *key, size_t key_n, const void *bytes, size_t n,
                      unsigned char out[MEND_SHA256_BYTES]);

/* Takes the same time wherever the two differ. */
bool mend_same_bytes(const void *a, const void *b, size_t n);

#endif
