/* SPDX-License-Identifier: BSD-3-Clause */
/* given_test.c – what an agent of another host is given is what mpiexec has; damaged bytes are refused, or they make a table that
 * holds together. */
#include "command/given.h"

#include "base/test.h"
#include "command/options.h"

#define RANKS_N 7

static struct mend_host hosts[] = {
    {.here = true},
    {.name = "a", .user = "ann", .slots = 2, .mentions = 1, .slots_max = 5, .listed = true},
    {.name = "fe80::1%eth0", .mentions = 2, .listed = true},
    {.name = "b", .mentions = 1, .listed = true, .spare = true},
};
static struct mend_app apps[] = {{.ranks_n = 5}, {.ranks_n = 2}};
static struct mend_text texts[] = {{(char *)"hosts", (char *)"a:2\n"},
                                   {(char *)"/dev/stdin", (char *)""}};
static struct mend_text variables[] = {{(char *)"DISPLAY", (char *)":5"}};
static int node_of[RANKS_N] = {1, 1, 2, 2, 2, 1, 2};

static struct mend_options options(void)
{
    return (struct mend_options){.apps = apps,
                                 .apps_n = 2,
                                 .ranks_n = RANKS_N,
                                 .hosts = {hosts, 4},
                                 .node_of = node_of,
                                 .seed = 471100,
                                 .rows = 40,
                                 .columns = 100,
                                 .texts = {texts, 2},
                                 .variables = {variables, 1}};
}

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

MEND_TEST(round_trip)
{
    struct mend_options o = options();
    struct mend_given_bytes bytes = mend_given_encode(&o);
    struct mend_given *g = mend_given_decode(bytes);

    CHECK(g);
    CHECK_EQ(g->hosts.n, 4);
    for (int k = 0; k < 4; k++) {
        const struct mend_host *x = &g->hosts.at[k], *y = &hosts[k];

        CHECK_STR(or_none(x->name), or_none(y->name));
        CHECK_STR(or_none(x->user), or_none(y->user));
        CHECK(x->slots == y->slots && x->mentions == y->mentions && x->slots_max == y->slots_max);
        CHECK(x->here == y->here && x->listed == y->listed && x->spare == y->spare);
    }
    CHECK_EQ(g->apps_n, 2);
    CHECK(g->app_ranks_n[0] == 5 && g->app_ranks_n[1] == 2);
    CHECK_EQ(g->ranks_n, RANKS_N);
    CHECK(!memcmp(g->node_of, node_of, sizeof(node_of)));
    CHECK_EQ(g->seed, 471100);
    CHECK(g->rows == 40 && g->columns == 100);
    CHECK_EQ(g->texts.n, 2);
    CHECK_STR(g->texts.at[0].name, "hosts");
    CHECK_STR(g->texts.at[0].text, "a:2\n");
    CHECK_STR(g->texts.at[1].text, "");
    CHECK_EQ(g->variables.n, 1);
    CHECK_STR(g->variables.at[0].name, "DISPLAY");
    CHECK_STR(g->variables.at[0].text, ":5");
    mend_given_free(g);
    free(bytes.at);
}

MEND_TEST(incomplete)
{
    struct mend_options o = options();
    struct mend_given_bytes bytes = mend_given_encode(&o), more;

    for (size_t n = 0; n < bytes.len; n++)
        CHECK(!mend_given_decode((struct mend_given_bytes){bytes.at, n}));
    more = (struct mend_given_bytes){calloc(bytes.len + 1, 1), bytes.len + 1};
    memcpy(more.at, bytes.at, bytes.len);
    CHECK(!mend_given_decode(more));
    free(more.at);
    free(bytes.at);
}

/* Frees it. */
static void check_sound(struct mend_given *g)
{
    int sum = 0;

    CHECK(g->hosts.n >= 1 && g->hosts.at[0].here);
    for (int k = 0; k < g->hosts.n; k++)
        CHECK(g->hosts.at[k].slots >= 0 && g->hosts.at[k].slots_max >= 0);
    for (int i = 0; i < g->apps_n; i++) {
        CHECK(g->app_ranks_n[i] > 0);
        sum += g->app_ranks_n[i];
    }
    CHECK_EQ(sum, g->ranks_n);
    CHECK(sum <= MEND_RANKS_MAX);
    for (int i = 0; i < g->ranks_n; i++) {
        CHECK(g->node_of[i] >= 0 && g->node_of[i] < g->hosts.n);
        CHECK(g->hosts.at[g->node_of[i]].listed);
    }
    mend_given_free(g);
}

/* Every bit, and several at random. */
MEND_TEST(damaged)
{
    struct mend_options o = options();
    struct mend_given_bytes bytes = mend_given_encode(&o), copy;
    struct mend_given *g;
    int refused = 0;

    for (size_t bit = 0; bit < 8 * bytes.len; bit++) {
        bytes.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        g = mend_given_decode(bytes);
        refused += !g;
        if (g)
            check_sound(g);
        bytes.at[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(refused > (int)bytes.len);
    srand(3);
    for (int round = 0; round < 100000; round++) {
        copy = (struct mend_given_bytes){malloc(bytes.len), bytes.len};
        memcpy(copy.at, bytes.at, bytes.len);
        for (int n = 1 + rand() % 4; n; n--)
            copy.at[(size_t)rand() % bytes.len] = (unsigned char)(rand() % 4 ? rand() % 8 : rand());
        g = mend_given_decode(copy);
        if (g)
            check_sound(g);
        free(copy.at);
    }
    free(bytes.at);
}

MEND_TEST_MAIN()
