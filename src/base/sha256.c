/* SPDX-License-Identifier: BSD-3-Clause */
/* sha256.c – see sha256.h. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t word(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_word(unsigned char *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (24 - 8 * i));
}

static void expand(const unsigned char *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = word(block + (size_t)i * 4);
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
}

static void take_block(struct mend_sha256 *s)
{
    uint32_t w[64], v[8];

    expand(s->block, w);
    memcpy(v, s->h, sizeof(v));
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t1 = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                      k[i] + w[i];
        uint32_t t2 =
            (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        s->h[i] += v[i];
}

void mend_sha256_init(struct mend_sha256 *s)
{
    memcpy(s->h, first, sizeof(first));
    s->bytes = 0;
}

void mend_sha256_add(struct mend_sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++) {
        s->block[s->bytes++ % MEND_SHA256_BLOCK] = p[i];
        if (s->bytes % MEND_SHA256_BLOCK == 0)
            take_block(s);
    }
}

/* A bit, zeros, and the number of bits end the last block. */
void mend_sha256_end(struct mend_sha256 *s, unsigned char out[MEND_SHA256_BYTES])
{
    static const unsigned char one = 0x80, zero = 0;
    uint64_t bits = s->bytes * 8;
    unsigned char n[8];

    put_word(n, (uint32_t)(bits >> 32));
    put_word(n + 4, (uint32_t)bits);
    mend_sha256_add(s, &one, 1);
    while (s->bytes % MEND_SHA256_BLOCK != MEND_SHA256_BLOCK - sizeof(n))
        mend_sha256_add(s, &zero, 1);
    mend_sha256_add(s, n, sizeof(n));
    for (int i = 0; i < 8; i++)
        put_word(out + (size_t)i * 4, s->h[i]);
}

/* H(key ^ pad, bytes) */
static void keyed(const unsigned char key[MEND_SHA256_BLOCK], unsigned char pad, const void *bytes,
                  size_t n, unsigned char out[MEND_SHA256_BYTES])
{
    unsigned char padded[MEND_SHA256_BLOCK];
    struct mend_sha256 s;

    for (size_t i = 0; i < sizeof(padded); i++)
        padded[i] = key[i] ^ pad;
    mend_sha256_init(&s);
    mend_sha256_add(&s, padded, sizeof(padded));
    mend_sha256_add(&s, bytes, n);
    mend_sha256_end(&s, out);
}

void mend_hmac_sha256(const void *key, size_t key_n, const void *bytes, size_t n,
                      unsigned char out[MEND_SHA256_BYTES])
{
    unsigned char block[MEND_SHA256_BLOCK] = {0}, inner[MEND_SHA256_BYTES];
    struct mend_sha256 s;

    if (key_n > sizeof(block)) {
        mend_sha256_init(&s);
        mend_sha256_add(&s, key, key_n);
        mend_sha256_end(&s, block);
    } else {
        memcpy(block, key, key_n);
    }
    keyed(block, 0x36, bytes, n, inner);
    keyed(block, 0x5c, inner, sizeof(inner), out);
}

bool mend_same_bytes(const void *a, const void *b, size_t n)
{
    const volatile unsigned char *x = a, *y = b;
    unsigned differ = 0;

    for (size_t i = 0; i < n; i++)
        differ |= x[i] ^ y[i];
    return !differ;
}
