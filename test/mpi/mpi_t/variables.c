/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T: begin and end at any time, enumerations, categories, control variables, what may be set when, and wrong
 * arguments (MPI-5.0 15.3). */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <stdlib.h>

static int cvar(const char *name)
{
    int i = -1;

    CHECK_OK(MPI_T_cvar_get_index(name, &i));
    return i;
}

static MPI_T_cvar_handle handle_of(const char *name, int expected)
{
    MPI_T_cvar_handle h = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;

    CHECK_OK(MPI_T_cvar_handle_alloc(cvar(name), NULL, &h, &count));
    CHECK_EQ(count, expected);
    return h;
}

static void before_anything(void)
{
    int n = -7;
    MPI_T_cvar_handle h;

    CHECK_EQ(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, &h, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(MPI_T_category_changed(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(n, -7);
    CHECK_EQ(MPI_T_init_thread(4711, &n), MPI_T_ERR_INVALID);
}

static void texts(void)
{
    char name[64], desc[8];
    int n = 0, m = sizeof desc, len, verbosity = 0, bind = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;

    CHECK_OK(MPI_T_cvar_get_info(cvar("MEND_SPIN"), NULL, &n, &verbosity, &type, &words, desc, &m,
                                 &bind, &scope));
    CHECK_EQ(n, (int)sizeof("MEND_SPIN"));
    CHECK_EQ(m, (int)sizeof desc);
    CHECK_EQ(strlen(desc), sizeof desc - 1);
    CHECK(type == MPI_UNSIGNED_LONG_LONG && words == MPI_T_ENUM_NULL);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && scope == MPI_T_SCOPE_LOCAL);
    len = 5;
    CHECK_OK(MPI_T_cvar_get_info(cvar("MEND_SPIN"), name, &len, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL));
    CHECK_STR(name, "MEND");
    CHECK_EQ(len, 5);
    len = sizeof name;
    CHECK_OK(MPI_T_cvar_get_info(cvar("MEND_SPIN"), name, &len, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL));
    CHECK_STR(name, "MEND_SPIN");
}

static void every_one(void)
{
    int n = 0, len, count = 0, value = 0, items = 0;
    char name[64], word[64], buf[1024];
    MPI_T_cvar_handle h;
    MPI_Datatype type;
    MPI_T_enum e;

    CHECK_OK(MPI_T_cvar_get_num(&n));
    CHECK(n > 20);
    for (int i = 0; i < n; i++) {
        len = sizeof name;
        CHECK_OK(MPI_T_cvar_get_info(i, name, &len, NULL, &type, &e, NULL, NULL, NULL, NULL));
        CHECK_EQ(cvar(name), i);
        CHECK_OK(MPI_T_cvar_handle_alloc(i, NULL, &h, &count));
        CHECK_OK(MPI_T_cvar_read(h, buf));
        CHECK_OK(MPI_T_cvar_handle_free(&h));
        CHECK(h == MPI_T_CVAR_HANDLE_NULL);
        if (type == MPI_INT) {
            CHECK_OK(MPI_T_enum_get_info(e, &items, NULL, NULL));
            CHECK(items >= 2 && *(int *)buf >= 0 && *(int *)buf < items);
            len = sizeof word;
            CHECK_OK(MPI_T_enum_get_item(e, items - 1, &value, word, &len));
            CHECK(value == items - 1 && (int)strlen(word) + 1 == len);
            CHECK_EQ(MPI_T_enum_get_item(e, items, &value, word, &len), MPI_T_ERR_INVALID_INDEX);
        }
    }
}

/* Each variable is in one category below the first. */
static void categories(void)
{
    int n = 0, all = 0, of = 0, parts = 0, pvars = 0, sum = 0, index = -1, list[64], number = -1,
        len;
    char name[64];

    CHECK_OK(MPI_T_category_get_num(&n));
    CHECK_OK(MPI_T_cvar_get_num(&all));
    CHECK_OK(MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, &parts));
    CHECK_EQ(parts, n - 1);
    CHECK_OK(MPI_T_category_get_categories(0, 64, list));
    for (int i = 0; i < parts; i++) {
        len = sizeof name;
        CHECK_OK(MPI_T_category_get_info(list[i], name, &len, NULL, NULL, &of, &pvars, NULL));
        CHECK_OK(MPI_T_category_get_index(name, &index));
        CHECK_EQ(index, list[i]);
        sum += of;
    }
    CHECK_EQ(sum, all);
    CHECK_OK(MPI_T_category_get_index("failures", &index));
    memset(list, -1, sizeof list);
    CHECK_OK(MPI_T_category_get_cvars(index, 1, list));
    CHECK(list[0] >= 0 && list[1] == -1);
    CHECK_OK(MPI_T_category_changed(&number));
    CHECK_EQ(MPI_T_category_get_index("nonsense", &index), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_category_get_cvars(n, 1, list), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_category_get_pvars(0, -1, list), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_category_get_categories(0, 3, NULL), MPI_T_ERR_INVALID);
}

static void wrong(void)
{
    MPI_T_cvar_handle h = (MPI_T_cvar_handle)(void *)"no handle", null = MPI_T_CVAR_HANDLE_NULL;
    int n = 0;
    double x;

    CHECK_EQ(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_get_index("MEND_NONSENSE", &n), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_cvar_get_index(NULL, &n), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_alloc(4711, NULL, &h, &n), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, NULL, &n), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_read(h, &x), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_read(null, &x), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_write(h, &x), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_free(&h), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_enum_get_item((MPI_T_enum)(void *)h, 0, &n, NULL, NULL),
             MPI_T_ERR_INVALID_HANDLE);
    h = handle_of("MEND_SPIN", 1);
    CHECK_EQ(MPI_T_cvar_read(h, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, (MPI_T_pvar_handle)h, &x),
             MPI_T_ERR_INVALID_SESSION);
    CHECK_OK(MPI_T_cvar_handle_free(&h));
}

static unsigned long long number_in(MPI_T_cvar_handle h)
{
    unsigned long long v = 0;

    CHECK_OK(MPI_T_cvar_read(h, &v));
    return v;
}

/* What is set before MPI_Init holds after it; what MPI reads at its start cannot be set later. */
static void set_before(void)
{
    unsigned long long eager = 1234, spin = 77, too_much = 1 << 20;
    MPI_T_cvar_handle h = handle_of("MEND_EAGER_MAX", 1), s = handle_of("MEND_SPIN", 1),
                      c = handle_of("MEND_COLL", 256);
    int never = 1;

    CHECK_OK(MPI_T_cvar_write(h, &eager));
    CHECK_EQ(MPI_T_cvar_write(h, &too_much), MPI_T_ERR_INVALID);
    CHECK_OK(MPI_T_cvar_write(s, &spin));
    CHECK_OK(MPI_T_cvar_write(c, "bcast=binomial"));
    CHECK_EQ(MPI_T_cvar_write(c, "bcast=carrier_pigeon"), MPI_T_ERR_INVALID);
    MPI_T_cvar_handle_free(&s);
    s = handle_of("MEND_SINGLE_COPY", 1);
    CHECK_OK(MPI_T_cvar_write(s, &never));
    never = 99;
    CHECK_EQ(MPI_T_cvar_write(s, &never), MPI_T_ERR_INVALID);
}

static void set_after(void)
{
    unsigned long long v = 99;
    double seconds = 0.5, read = 0;
    char text[256];
    int word = 0;
    MPI_T_cvar_handle h = handle_of("MEND_EAGER_MAX", 1), c = handle_of("MEND_COLL", 256);

    CHECK_EQ(number_in(h), 1234);
    CHECK_EQ(MPI_T_cvar_write(h, &v), MPI_T_ERR_CVAR_SET_NOT_NOW);
    CHECK_OK(MPI_T_cvar_read(c, text));
    CHECK_STR(text, "bcast=binomial");
    CHECK_OK(MPI_T_cvar_read(handle_of("MEND_SINGLE_COPY", 1), &word));
    CHECK_EQ(word, 1);
    h = handle_of("MEND_SPIN", 1);
    CHECK_EQ(number_in(h), 77);
    CHECK_OK(MPI_T_cvar_write(h, &v));
    CHECK_EQ(number_in(h), 99);
    h = handle_of("MEND_SLEEP_MAX", 1);
    CHECK_OK(MPI_T_cvar_write(h, &seconds));
    CHECK_OK(MPI_T_cvar_read(h, &read));
    CHECK(read == 0.5);
    seconds = -1;
    CHECK_EQ(MPI_T_cvar_write(h, &seconds), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_write(handle_of("MEND_STOP_TIMEOUT", 1), &seconds),
             MPI_T_ERR_CVAR_SET_NEVER);
}

int main(int argc, char **argv)
{
    int provided = -1, rank = 0, sum = 0, one = 1;

    before_anything();
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_SINGLE);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    texts();
    every_one();
    categories();
    wrong();
    set_before();
    CHECK_OK(MPI_T_finalize());
    CHECK_OK(MPI_Init(&argc, &argv));
    set_after();
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, 2);
    CHECK_OK(MPI_T_finalize());
    CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_OK(MPI_Finalize());
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_FUNNELED, &provided));
    every_one();
    CHECK_OK(MPI_T_finalize());
    CHECK_EQ(MPI_T_category_changed(&one), MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
