/* SPDX-License-Identifier: BSD-3-Clause */
/* spread_test.c – how many processes of each block there are, and on which node each is.
 *
 * Nodes are digits, with room each: "0123" is node 0 without room, node 1 with one place, ...  A block is how many are wanted, and the
 * nodes that it names: "2ab" wants two on the first two nodes, "1" one anywhere.  The answer is the node of each process, and a '|' behind
 * each block; or "!" and the block that finds too little room.  A search through all small tables compares with one that tries everything. */
#include "root/spread.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX  8
#define BLOCKS_MAX 8

void *mend_xalloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

static uint64_t seed;

/* Below n. */
static int lot(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (uint64_t)n);
}

struct table {
    struct mend_spread_node node[NODES_MAX];
    struct mend_spawn_block block[BLOCKS_MAX];
    struct mend_spread_wish wish[BLOCKS_MAX];
    int at[BLOCKS_MAX][NODES_MAX], share[BLOCKS_MAX][NODES_MAX], n[BLOCKS_MAX];
    struct mend_spread x;
};

static void add_node(struct table *t, int block, int node)
{
    struct mend_hosts_list *on = &t->wish[block].on;
    int i = 0;

    on->at = t->at[block];
    on->share = t->share[block];
    while (i < on->n && on->at[i] != node)
        i++;
    if (i == on->n)
        on->at[on->n++] = node;
    on->share[i]++;
}

static void read_table(struct table *t, const char *rooms, const char *blocks)
{
    *t = (struct table){0};
    t->x = (struct mend_spread){.node = t->node, .block = t->block, .wish = t->wish, .n = t->n};
    for (; *rooms; rooms++) {
        t->node[t->x.nodes_n++].room = *rooms - '0';
        t->x.room += *rooms - '0';
    }
    for (int i = -1; *blocks; blocks++) {
        if (*blocks >= '0' && *blocks <= '9')
            t->block[++i].asked_n = *blocks - '0';
        else if (*blocks == '?')
            t->block[i].soft = "0:9";
        else
            add_node(t, i, *blocks - 'a');
        t->wish[i].blocks_n = 1;
        t->x.blocks_n = t->x.wishes_n = i + 1;
    }
}

static const char *spread(struct table *t)
{
    static char text[128];
    int32_t *node_of = NULL;
    int total = mend_spread(&t->x, &node_of), k = 0;
    size_t at = 0;

    if (!total)
        snprintf(text, sizeof(text), "!%d%s %d", t->x.short_of, t->x.by_hosts ? "h" : "",
                 t->x.short_n);
    for (int i = 0; total && i < t->x.blocks_n; i++) {
        for (int j = 0; j < t->n[i]; j++)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%d", node_of[k++]);
        at += (size_t)snprintf(text + at, sizeof(text) - at, "|");
    }
    CHECK_EQ(k, total);
    free(node_of);
    return text;
}

static const char *spread_of(const char *rooms, const char *blocks)
{
    struct table t;

    read_table(&t, rooms, blocks);
    return spread(&t);
}

MEND_TEST(as_many_as_there_is_room_for)
{
    CHECK_STR(spread_of("9", "302"), "000||00|");
    CHECK_STR(spread_of("4", "32"), "!1 1");
    CHECK_STR(spread_of("2", "3?"), "00|");
    CHECK_STR(spread_of("0", "3?"), "!0 0");
    CHECK_STR(spread_of("1", "0"), "!0 0");
}

MEND_TEST(the_emptiest_nodes)
{
    struct table t;

    CHECK_STR(spread_of("999", "4"), "0012|");
    CHECK_STR(spread_of("192", "5"), "01122|");
    read_table(&t, "999", "3");
    t.node[0].taken = 2;
    t.node[2].taken = 1;
    CHECK_STR(spread(&t), "112|");
    t.node[0].spares = 1;
    CHECK_STR(spread(&t), "011|");
}

MEND_TEST(hosts_in_equal_shares)
{
    CHECK_STR(spread_of("999", "4ca"), "2200|");
    CHECK_STR(spread_of("999", "3cca"), "220|");
    CHECK_STR(spread_of("919", "4bc"), "1222|");
    CHECK_STR(spread_of("919", "2b"), "!0h 1");
    CHECK_STR(spread_of("919", "2b?"), "1|");
    CHECK_STR(spread_of("99", "1b2a1b"), "1|00|1|");
}

/* A wish that can go elsewhere makes room, over a chain of others, too. */
MEND_TEST(others_make_room)
{
    CHECK_STR(spread_of("11", "11a"), "1|0|");
    CHECK_STR(spread_of("111", "1ab1bc1a"), "1|2|0|");
    CHECK_STR(spread_of("111", "1ab1ba1a"), "!2h 0");
    CHECK_STR(spread_of("22", "2?2a"), "11|00|");
    CHECK_STR(spread_of("22", "4?2a"), "!1 0"); /* the blocks in their order */
}

/* ---- against a search of all ---- */

/* Whether blocks from number i on, of which k processes are placed, find room. */
static bool fits(const struct table *t, int *left, int i, int k)
{
    const struct mend_hosts_list *on = &t->wish[i].on;
    bool good = false;

    if (i == t->x.blocks_n)
        return true;
    if (k == t->block[i].asked_n)
        return fits(t, left, i + 1, 0);
    for (int j = 0; !good && j < (on->n ? on->n : t->x.nodes_n); j++) {
        int node = on->n ? on->at[j] : j;

        if (!left[node])
            continue;
        left[node]--;
        good = fits(t, left, i, k + 1);
        left[node]++;
    }
    return good;
}

static void check_placed(const struct table *t, const char *text)
{
    int used[NODES_MAX] = {0}, i = 0;

    for (; *text; text++) {
        const struct mend_hosts_list *on = &t->wish[i].on;
        bool named = !on->n;

        if (*text == '|') {
            i++;
            continue;
        }
        for (int j = 0; j < on->n; j++)
            named |= on->at[j] == *text - '0';
        CHECK(named && ++used[*text - '0'] <= t->node[*text - '0'].room);
    }
    CHECK_EQ(i, t->x.blocks_n);
}

/* Tables of at most four nodes with at most two places, and four blocks of at most two processes. */
static void draw_table(struct table *t)
{
    char rooms[NODES_MAX] = "", blocks[64] = "", *at = blocks;
    int nodes = 1 + lot(4);

    for (int k = 0; k < nodes; k++)
        rooms[k] = (char)('0' + lot(3));
    for (int b = 1 + lot(4); b > 0; b--) {
        int set = lot(1 << nodes);

        *at++ = (char)('0' + lot(3));
        for (int k = 0; k < nodes; k++)
            if (set >> k & 1)
                *at++ = (char)('a' + k);
    }
    read_table(t, rooms, blocks);
}

static bool is_possible(const struct table *t)
{
    int left[NODES_MAX] = {0}, sum = 0;

    for (int k = 0; k < t->x.nodes_n; k++)
        left[k] = t->node[k].room;
    for (int k = 0; k < t->x.blocks_n; k++)
        sum += t->block[k].asked_n;
    return sum && fits(t, left, 0, 0);
}

MEND_TEST(it_finds_room_whenever_there_is)
{
    enum { TABLES = 20000 };
    int fit_n = 0;

    for (int i = 0; i < TABLES; i++) {
        struct table t;
        const char *text;

        draw_table(&t);
        text = spread(&t);
        CHECK_EQ(*text != '!', is_possible(&t));
        fit_n += *text != '!';
        if (*text != '!')
            check_placed(&t, text);
    }
    CHECK(fit_n > TABLES / 10 && fit_n < TABLES * 9 / 10);
}

MEND_TEST_MAIN()
