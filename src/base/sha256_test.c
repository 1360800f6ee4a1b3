/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples of FIPS 180-4 and NIST, and those of RFC 4231. */
#include "base/sha256.h"

#include "base/test.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const unsigned char hash[MEND_SHA256_BYTES])
{
    static char text[2 * MEND_SHA256_BYTES + 1];

    for (unsigned i = 0; i < MEND_SHA256_BYTES; i++)
        sprintf(text + 2 * i, "%02x", hash[i]);
    return text;
}

/* In pieces of so many bytes. */
static const char *sha256(const char *bytes, size_t n, size_t piece)
{
    unsigned char out[MEND_SHA256_BYTES];
    struct mend_sha256 s;

    mend_sha256_init(&s);
    for (size_t at = 0; at < n; at += piece)
        mend_sha256_add(&s, bytes + at, n - at < piece ? n - at : piece);
    mend_sha256_end(&s, out);
    return text_of(out);
}

static void check_sha256(const char *bytes, size_t n, const char *right)
{
    for (size_t piece = 1; piece < 130; piece += 7)
        CHECK_STR(sha256(bytes, n, piece), right);
}

MEND_TEST(sha256_of_the_examples)
{
    static char a[1000000];

    memset(a, 'a', sizeof(a));
    check_sha256("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_sha256("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                 112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    CHECK_STR(sha256(a, sizeof(a), 4096),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void check_hmac(const void *key, size_t key_n, const void *bytes, size_t n,
                       const char *right)
{
    unsigned char out[MEND_SHA256_BYTES];

    mend_hmac_sha256(key, key_n, bytes, n, out);
    CHECK_STR(text_of(out), right);
}

MEND_TEST(hmac_of_the_examples)
{
    unsigned char key[131], bytes[50];

    memset(key, 0x0b, 20);
    check_hmac(key, 20, "Hi There", 8,
               "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    check_hmac("Jefe", 4, "what do ya want for nothing?", 28,
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof(key));
    memset(bytes, 0xdd, sizeof(bytes));
    check_hmac(key, 20, bytes, 50,
               "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    check_hmac(key, 131, "Test Using Larger Than Block-Size Key - Hash Key First", 54,
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    for (unsigned i = 0; i < 25; i++)
        key[i] = (unsigned char)(i + 1);
    memset(bytes, 0xcd, sizeof(bytes));
    check_hmac(key, 25, bytes, 50,
               "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

MEND_TEST(bytes_are_the_same_or_not)
{
    unsigned char a[40] = {0}, b[40] = {0};

    CHECK(mend_same_bytes(a, b, sizeof(a)));
    for (unsigned i = 0; i < sizeof(a); i++) {
        b[i] = 1;
        CHECK(!mend_same_bytes(a, b, sizeof(a)));
        b[i] = 0;
    }
}

MEND_TEST_MAIN()
