/* SPDX-License-Identifier: BSD-3-Clause */
/* letter_test.c – the letter of a new agent: it comes as it was written, other builds and damage are refused, and garbage is harmless. */
#include "start/letter.h"

#include "base/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct mend_build ours = {.number = 0x1234, .version = "1.2"};
static const struct mend_build others = {.number = 0x1235, .version = "1.3"};

static struct mend_letter example(void)
{
    struct mend_letter l = {.node = 9,
                            .nodes_n = 20,
                            .by_ssh = 1,
                            .umask = 022,
                            .answer_ms = 15000,
                            .job = UINT64_MAX - 1,
                            .key = "the secret of us",
                            .ancestors_n = 3,
                            .ancestor = {{4, mend_address_v4(htonl(INADDR_LOOPBACK), htons(99)), 7},
                                         {1, mend_address_v4(htonl(0x0a090001), htons(98)), 8},
                                         {0, mend_address_v4(htonl(0x0a090002), htons(97)), 65535}},
                            .host = "m3",
                            .parent_host = "m1",
                            .user = "",
                            .wdir = "/a directory/with 'quotes'",
                            .given_n = 3,
                            .given = (const unsigned char *)"\1\0\2",
                            .limits = {1, 2, UINT64_MAX, 4, 5, 6, 7}};

    mend_strings_add(&l.argv, (char *)"mpiexec");
    mend_strings_add(&l.argv, (char *)"");
    mend_strings_add(&l.argv, (char *)"a b\nc");
    mend_strings_add(&l.env, (char *)"PATH=/bin");
    return l;
}

static void free_lists(struct mend_letter *l)
{
    free(l->argv.at);
    free(l->env.at);
    l->argv = l->env = (struct mend_strings){0};
}

static bool same_list(const struct mend_strings *a, const struct mend_strings *b)
{
    for (int i = 0; i < a->n && a->n == b->n; i++)
        if (strcmp(a->at[i], b->at[i]) != 0)
            return false;
    return a->n == b->n;
}

static bool same_ancestors(const struct mend_letter *a, const struct mend_letter *b)
{
    for (uint32_t i = 0; i < a->ancestors_n && a->ancestors_n == b->ancestors_n; i++)
        if (a->ancestor[i].node != b->ancestor[i].node ||
            !mend_address_same(&a->ancestor[i].door, &b->ancestor[i].door) ||
            a->ancestor[i].door.port != b->ancestor[i].door.port ||
            a->ancestor[i].beats_port != b->ancestor[i].beats_port)
            return false;
    return a->ancestors_n == b->ancestors_n;
}

static bool same(const struct mend_letter *a, const struct mend_letter *b)
{
    return a->node == b->node && a->nodes_n == b->nodes_n && a->by_ssh == b->by_ssh &&
           a->input_fd == b->input_fd && a->umask == b->umask && a->answer_ms == b->answer_ms &&
           a->job == b->job && !memcmp(a->key, b->key, sizeof(a->key)) && same_ancestors(a, b) &&
           !strcmp(a->host, b->host) && !strcmp(a->parent_host, b->parent_host) &&
           !strcmp(a->user, b->user) && !strcmp(a->wdir, b->wdir) &&
           same_list(&a->argv, &b->argv) && same_list(&a->env, &b->env) &&
           a->given_n == b->given_n && !memcmp(a->given, b->given, b->given_n) &&
           !memcmp(a->limits, b->limits, sizeof(a->limits));
}

/* Where the body begins. */
static unsigned char *body_of(unsigned char *letter)
{
    return (unsigned char *)strchr((char *)letter, '\n') + 1;
}

MEND_TEST(what_is_written_is_read)
{
    struct mend_letter l = example(), got;
    size_t n;
    unsigned char *bytes = mend_letter_encode(&l, &ours, &n), *body = body_of(bytes);

    CHECK(mend_letter_decode(body, n - (size_t)(body - bytes), &got));
    CHECK(same(&l, &got));
    free_lists(&got);
    free_lists(&l);
    free(bytes);
}

/* A letter whose ancestors cannot be: none, too many, without the root, out of order, or the new agent itself. */
MEND_TEST(ancestors_that_cannot_be_are_refused)
{
    static const struct {
        uint32_t n, node[MEND_LINEAGE_EDGES_MAX];
        bool good;
    } cases[] = {{3, {4, 1, 0}, true},  {1, {0}, true},        {2, {8, 0}, true},
                 {0, {0}, false},       {2, {4, 1}, false},    {3, {1, 4, 0}, false},
                 {3, {4, 0, 0}, false}, {3, {9, 1, 0}, false}, {2, {10, 0}, false}};
    struct mend_letter l = example(), got;
    size_t n;

    for (size_t i = 0; i < MEND_COUNT_OF(cases); i++) {
        unsigned char *bytes, *body;

        l.ancestors_n = cases[i].n;
        for (int k = 0; k < MEND_LINEAGE_EDGES_MAX; k++)
            l.ancestor[k].node = cases[i].node[k];
        bytes = mend_letter_encode(&l, &ours, &n);
        body = body_of(bytes);
        CHECK_EQ(mend_letter_decode(body, n - (size_t)(body - bytes), &got), cases[i].good);
        free_lists(&got);
        free(bytes);
    }
    free_lists(&l);
}

/* The line that all builds understand. */
MEND_TEST(other_builds_and_other_input_are_refused)
{
    static const char *const wrong[] = {"",
                                        "\n",
                                        "#!/bin/sh\n",
                                        "mend-letter 1234 1.2 m1 0\n",
                                        "mend-letter 1234 1.2 m1 99999999999\n",
                                        "mend-letter 1234 1.2 m1 5 \n",
                                        "mend-letter 1234 1.2 m1 5",
                                        "mend-letter 1234 1.2 m1\n"};
    char *why = NULL;

    CHECK_EQ(mend_letter_line("mend-letter 1234 1.2 m1 5\n", &ours, "m2", &why), 5);
    CHECK(!why);
    for (size_t i = 0; i < MEND_COUNT_OF(wrong); i++) {
        CHECK_EQ(mend_letter_line(wrong[i], &ours, "m2", &why), 0);
        CHECK(strstr(why, "not the letter of an mpiexec"));
        free(why);
    }
    CHECK_EQ(mend_letter_line("mend-letter 1234 1.2 m1 5\n", &others, "m2", &why), 0);
    CHECK(strstr(why, "m2 has Mend 1.3 of build 0000000000001235, and m1 has Mend 1.2 of build "
                      "0000000000001234"));
    free(why);
}

/* Each byte of the body is under the digest. */
MEND_TEST(each_damaged_byte_is_refused)
{
    struct mend_letter l = example(), got;
    size_t n, body_n;
    unsigned char *bytes = mend_letter_encode(&l, &ours, &n), *body = body_of(bytes);

    body_n = n - (size_t)(body - bytes);
    for (size_t i = 0; i < body_n; i++) {
        body[i] ^= 0x10;
        CHECK(!mend_letter_decode(body, body_n, &got));
        body[i] ^= 0x10;
        CHECK(!mend_letter_decode(body, i, &got));
    }
    CHECK(mend_letter_decode(body, body_n, &got));
    free_lists(&got);
    free_lists(&l);
    free(bytes);
}

static void sign(unsigned char *body, size_t body_n)
{
    struct mend_sha256 s;

    mend_sha256_init(&s);
    mend_sha256_add(&s, body, body_n - MEND_SHA256_BYTES);
    mend_sha256_end(&s, body + body_n - MEND_SHA256_BYTES);
}

/* Garbage with a right digest: what is read is within the bytes, which a sanitizer sees. */
MEND_TEST(garbage_is_harmless)
{
    struct mend_letter l = example(), got;
    size_t n, body_n, taken = 0;
    unsigned char *bytes = mend_letter_encode(&l, &ours, &n), *body = body_of(bytes), *copy;

    body_n = n - (size_t)(body - bytes);
    srandom(7);
    for (int round = 0; round < 20000; round++) {
        size_t len = round % 3 ? body_n : MEND_SHA256_BYTES + (size_t)random() % body_n;

        copy = malloc(len);
        CHECK(copy);
        for (size_t i = 0; i < len; i++)
            copy[i] = i < body_n ? body[i] : 0;
        for (int k = 0; k < 1 + round % 4; k++)
            copy[(size_t)random() % len] = (unsigned char)random();
        sign(copy, len);
        if (mend_letter_decode(copy, len, &got)) {
            taken++;
            CHECK(got.node < got.nodes_n && got.argv.n > 0 && strlen(got.host) < len);
            CHECK(got.ancestors_n <= MEND_LINEAGE_EDGES_MAX);
        }
        free_lists(&got);
        free(copy);
    }
    CHECK(taken > 100); /* else nothing was read far enough */
    free_lists(&l);
    free(bytes);
}

/* ---- from a descriptor ---- */

struct sender {
    int fd;
    const unsigned char *bytes;
    size_t n;
};

static void *send_slowly(void *arg)
{
    struct sender *s = arg;

    for (size_t done = 0; done < s->n;) {
        ssize_t n = write(s->fd, s->bytes + done, s->n - done < 7 ? s->n - done : 7);

        if (n <= 0)
            break;
        done += (size_t)n;
    }
    close(s->fd);
    return NULL;
}

/* cut: so many bytes of it are missing. */
static bool reads(size_t cut, struct mend_letter *got, char **why_p)
{
    struct mend_letter l = example();
    size_t n;
    unsigned char *bytes = mend_letter_encode(&l, &ours, &n);
    struct sender s = {.bytes = bytes, .n = n - cut};
    pthread_t t;
    int fd[2];
    bool good;

    CHECK(n > cut);
    CHECK_EQ(pipe(fd), 0);
    s.fd = fd[1];
    CHECK_EQ(pthread_create(&t, NULL, send_slowly, &s), 0);
    good = mend_letter_read(fd[0], &ours, got, why_p);
    pthread_join(t, NULL);
    close(fd[0]);
    if (good)
        CHECK(same(&l, got));
    free_lists(&l);
    free(bytes);
    return good;
}

MEND_TEST(it_comes_in_pieces_or_not_whole)
{
    struct mend_letter got;
    char *why;

    CHECK(reads(0, &got, &why));
    free_lists(&got);
    for (size_t cut = 1; cut < 250; cut += 40) {
        CHECK(!reads(cut, &got, &why));
        CHECK(strstr(why, "has not come whole"));
        free(why);
    }
}

MEND_TEST_MAIN()
