/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts_test.c – which rank is placed on which host.
 *
 * Hosts are letters, with slots and the most that they may have: "a2 b b c1/3"; a job is the hosts of its ranks, in their
 * order: "aabbc", with a '!' for each that has no place. */
#include "command/hosts.h"

#include "base/test.h"

#include <ctype.h>

#define HOSTS_MAX 16
#define RANKS_MAX 128

struct table {
    struct mend_host host[HOSTS_MAX];
    struct mend_hosts hosts;
    int node[HOSTS_MAX], used[HOSTS_MAX], n;
};

static void read_hosts(struct table *t, const char *text)
{
    *t = (struct table){.hosts.at = t->host};
    while (*text) {
        int node = *text++ - 'a';
        char *end = (char *)text;
        struct mend_host *x = &t->host[node];

        if (isdigit((unsigned char)*text))
            x->slots += (int)strtol(text, &end, 10);
        else
            x->mentions++;
        if (*end == '/')
            x->slots_max += (int)strtol(end + 1, &end, 10);
        if (node == t->n)
            t->node[t->n++] = node;
        text = end + (*end == ' ');
    }
    t->hosts.n = t->n;
}

static const char *place_more(struct table *t, int n, int *nodes, int nodes_n,
                              struct mend_hosts_policy policy)
{
    static char text[RANKS_MAX + 1];
    struct mend_hosts_wish w = {n, {.at = nodes, .n = nodes_n}};
    int node_of[RANKS_MAX], left = mend_hosts_place(&t->hosts, &policy, &w, t->used, node_of);

    CHECK(left >= 0 && left <= n);
    for (int i = 0; i < n; i++)
        text[i] = i < n - left ? (char)('a' + node_of[i]) : '!';
    text[n] = '\0';
    return text;
}

static const char *placed(const char *hosts, int n, struct mend_hosts_policy policy)
{
    struct table t;

    read_hosts(&t, hosts);
    return place_more(&t, n, t.node, t.n, policy);
}

#define BY_SLOT ((struct mend_hosts_policy){0})
#define BY_NODE ((struct mend_hosts_policy){.by_node = true, .number_by_node = true})

/* Hosts that are only named share the ranks; the first get one more. */
MEND_TEST(equal_shares)
{
    CHECK_STR(placed("a b", 4, BY_SLOT), "aabb");
    CHECK_STR(placed("a b c", 2, BY_SLOT), "ab");
    CHECK_STR(placed("a b c", 3, BY_SLOT), "abc");
    CHECK_STR(placed("a b c", 8, BY_SLOT), "aaabbbcc");
    CHECK_STR(placed("a", 5, BY_SLOT), "aaaaa");
}

/* One that is named twice has twice the share, and is filled first. */
MEND_TEST(names_that_come_twice)
{
    CHECK_STR(placed("a a b", 2, BY_SLOT), "aa");
    CHECK_STR(placed("a a b", 3, BY_SLOT), "aab");
    CHECK_STR(placed("a b a", 6, BY_SLOT), "aaaabb");
    CHECK_STR(placed("a2 a b", 4, BY_SLOT), "aaab");
    CHECK_STR(placed("a2 a b", 6, BY_SLOT), "aaabbb");
}

MEND_TEST(slots)
{
    CHECK_STR(placed("a2 b2", 3, BY_SLOT), "aab");
    CHECK_STR(placed("a2 b2", 4, BY_SLOT), "aabb");
    CHECK_STR(placed("a2 b2", 5, BY_SLOT), "aabb!");
    CHECK_STR(placed("a2 b", 5, BY_SLOT), "aabbb");
    CHECK_STR(placed("a b2", 2, BY_SLOT), "ab");
    CHECK_STR(placed("a b2 c", 7, BY_SLOT), "aaabbcc");
    CHECK_STR(placed("a2 a1 b1", 4, BY_SLOT), "aaab");
}

MEND_TEST(in_turn)
{
    CHECK_STR(placed("a b", 4, BY_NODE), "abab");
    CHECK_STR(placed("a3 b1 c2", 6, BY_NODE), "abcaca");
    CHECK_STR(placed("a3 b1 c2", 7, BY_NODE), "abcaca!");
    CHECK_STR(placed("a1 b", 4, BY_NODE), "abbb");
    CHECK_STR(placed("a a b", 4, BY_NODE), "abab");
}

/* Where ranks are and how they are numbered are two things. */
MEND_TEST(numbers)
{
    struct mend_hosts_policy slot = {.number_by_node = true}, node = {.by_node = true};

    CHECK_STR(placed("a3 b1 c2", 5, slot), "abcaa");
    CHECK_STR(placed("a3 b1 c2", 5, node), "aabcc");
}

MEND_TEST(oversubscribed)
{
    struct mend_hosts_policy slot = {.oversubscribe = true}, node = slot;

    node.by_node = node.number_by_node = true;
    CHECK_STR(placed("a2 b2", 8, slot), "aaaabbbb");
    CHECK_STR(placed("a1 b2", 6, slot), "aabbbb");
    CHECK_STR(placed("a2 b", 6, slot), "aabbbb"); /* the others have room without */
    CHECK_STR(placed("a2/3 b2", 8, slot), "aaabbbbb");
    CHECK_STR(placed("a2/3 b2/2", 6, slot), "aaabb!");
    CHECK_STR(placed("a1 b1", 5, node), "ababa");
    CHECK_STR(placed("a1/1 b1", 4, node), "abbb");
}

/* Without oversubscription slots count, and the most that a host may have counts always. */
MEND_TEST(per_node)
{
    struct mend_hosts_policy slot = {.per_node = 2}, node = slot, over = slot;

    node.by_node = node.number_by_node = true;
    over.oversubscribe = true;
    CHECK_STR(placed("a b c", 6, slot), "aabbcc");
    CHECK_STR(placed("a b c", 3, slot), "aab");
    CHECK_STR(placed("a b", 5, slot), "aabb!");
    CHECK_STR(placed("a4 b4", 4, slot), "aabb");
    CHECK_STR(placed("a1 b4", 4, slot), "abb!");
    CHECK_STR(placed("a b", 4, node), "abab");
    CHECK_STR(placed("a b", 5, node), "abab!");
    CHECK_STR(placed("a b", 5, over), "aaabb");
    CHECK_STR(placed("a1 b4", 4, over), "aabb");
    CHECK_STR(placed("a1/1 b", 4, over), "abbb");
}

/* Blocks with lists of their own share the slots. */
MEND_TEST(several_wishes)
{
    int ca[] = {2, 0}, b[] = {1};
    struct table t;

    read_hosts(&t, "a2 b1 c2");
    CHECK_STR(place_more(&t, 3, ca, 2, BY_SLOT), "cca");
    CHECK_STR(place_more(&t, 2, b, 1, BY_SLOT), "b!");
    CHECK_STR(place_more(&t, 2, t.node, t.n, BY_SLOT), "a!");
    read_hosts(&t, "a b c");
    CHECK_STR(place_more(&t, 1, b, 1, BY_SLOT), "b");
    CHECK_STR(place_more(&t, 5, t.node, t.n, BY_SLOT), "aabcc");
}

/* Whatever the table, each rank has a host of the wish or none has room; counts agree. */
MEND_TEST(all_tables)
{
    srand(7);
    for (int round = 0; round < 20000; round++) {
        struct table t = {.hosts = {.at = t.host, .n = 1 + rand() % 5}};
        struct mend_hosts_policy policy = {rand() % 3 ? 0 : 1 + rand() % 4, rand() % 2, rand() % 2,
                                           rand() % 2};
        int n = rand() % 24, node_of[24], count[5] = {0}, left;

        for (int k = 0; k < t.hosts.n; k++) {
            t.host[k] = (struct mend_host){.slots = rand() % 4, .slots_max = rand() % 6};
            t.host[k].mentions = t.host[k].slots ? rand() % 2 : 1 + rand() % 2;
            t.node[k] = k;
        }
        left = mend_hosts_place(&t.hosts, &policy,
                                &(struct mend_hosts_wish){n, {.at = t.node, .n = t.hosts.n}},
                                t.used, node_of);
        for (int i = 0; i < n - left; i++)
            count[node_of[i]]++;
        for (int k = 0; k < t.hosts.n; k++) {
            const struct mend_host *x = &t.host[k];
            int most = x->slots_max ? x->slots_max : 24;

            CHECK_EQ(count[k], t.used[k]);
            CHECK(count[k] <= most);
            if (!policy.oversubscribe && mend_host_slots(x))
                CHECK(count[k] <= mend_host_slots(x));
            if (!policy.oversubscribe && policy.per_node)
                CHECK(count[k] <= policy.per_node);
            if (left && policy.oversubscribe)
                CHECK_EQ(count[k], most);
        }
    }
}

MEND_TEST_MAIN()
