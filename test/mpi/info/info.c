/* SPDX-License-Identifier: BSD-3-Clause */
/* Info objects (MPI-5.0 chapter 10), also before MPI_Init and after MPI_Finalize. */
/* RUN: -n 2 */
/* RUN: alone */
#include "../comm/common.h"

static MPI_Info make(void)
{
    MPI_Info i = MPI_INFO_NULL;

    CHECK_OK(MPI_Info_create(&i));
    CHECK_OK(MPI_Info_set(i, "zeta", "1"));
    CHECK_OK(MPI_Info_set(i, "alpha", " two words "));
    CHECK_OK(MPI_Info_set(i, "mid", ""));
    return i;
}

static void use(MPI_Info i)
{
    static const char *const order[] = {"zeta", "alpha", "mid"};
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int n = -1, flag = -1;
    MPI_Info copy;

    CHECK_OK(MPI_Info_get_nkeys(i, &n));
    CHECK_EQ(n, 3);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(MPI_Info_get_nthkey(i, k, key));
        CHECK_STR(key, order[k]);
    }
    n = sizeof value;
    CHECK_OK(MPI_Info_get_string(i, "alpha", &n, value, &flag));
    CHECK(flag == 1 && n == 12);
    CHECK_STR(value, " two words ");
    n = 5; /* too short: cut, and told how much it needs */
    CHECK_OK(MPI_Info_get_string(i, "alpha", &n, value, &flag));
    CHECK_EQ(n, 12);
    CHECK_STR(value, " two");
    n = 0;
    CHECK_OK(MPI_Info_get_string(i, "alpha", &n, NULL, &flag));
    CHECK_EQ(n, 12);
    CHECK_OK(MPI_Info_get_string(i, "none", &n, value, &flag));
    CHECK(flag == 0 && n == 12);
    CHECK_OK(MPI_Info_get(i, "alpha", 3, value, &flag));
    CHECK_STR(value, " tw");
    CHECK_OK(MPI_Info_get_valuelen(i, "mid", &n, &flag));
    CHECK(flag == 1 && n == 0);
    CHECK_OK(MPI_Info_dup(i, &copy));
    CHECK_OK(MPI_Info_set(i, "zeta", "changed"));
    n = sizeof value;
    CHECK_OK(MPI_Info_get_string(copy, "zeta", &n, value, &flag));
    CHECK_STR(value, "1");
    CHECK_OK(MPI_Info_delete(copy, "zeta"));
    CHECK_OK(MPI_Info_get_nthkey(copy, 0, key));
    CHECK_STR(key, "alpha");
    CHECK(MPI_Info_fromint(MPI_Info_toint(copy)) == copy);
    CHECK_OK(MPI_Info_free(&copy));
    CHECK(copy == MPI_INFO_NULL);
    CHECK_OK(MPI_Info_free(&i));
}

/* Keys and values of the greatest length, and one more. */
static void limits(void)
{
    static char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], got[MPI_MAX_INFO_VAL];
    MPI_Info i;
    int n = sizeof got, flag;

    CHECK_OK(MPI_Info_create(&i));
    memset(key, 'k', MPI_MAX_INFO_KEY - 1);
    memset(value, 'v', MPI_MAX_INFO_VAL - 1);
    CHECK_OK(MPI_Info_set(i, key, value));
    CHECK_OK(MPI_Info_get_string(i, key, &n, got, &flag));
    CHECK_STR(got, value);
    key[MPI_MAX_INFO_KEY - 1] = 'k';
    value[MPI_MAX_INFO_VAL - 1] = 'v';
    CHECK_CLASS(MPI_Info_set(i, key, "x"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(i, "x", value), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Info_set(i, "", "x"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(i, NULL, "x"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(i, "x", NULL), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Info_delete(i, "x"), MPI_ERR_INFO_NOKEY);
    CHECK_CLASS(MPI_Info_get_nthkey(i, 1, key), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_nthkey(i, -1, key), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_nkeys(i, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_string(i, "x", NULL, got, &flag), MPI_ERR_ARG);
    CHECK_OK(MPI_Info_free(&i));
}

static void handles(void)
{
    MPI_Info bad[] = {MPI_INFO_NULL, (MPI_Info)0, (MPI_Info)MPI_COMM_WORLD}, out,
             env = MPI_INFO_ENV;
    int n;

    for (int k = 0; k < 3; k++) {
        CHECK_CLASS(MPI_Info_set(bad[k], "a", "b"), MPI_ERR_INFO);
        CHECK_CLASS(MPI_Info_delete(bad[k], "a"), MPI_ERR_INFO);
        CHECK_CLASS(MPI_Info_get_nkeys(bad[k], &n), MPI_ERR_INFO);
        CHECK_CLASS(MPI_Info_dup(bad[k], &out), MPI_ERR_INFO);
        CHECK_CLASS(MPI_Info_free(&bad[k]), MPI_ERR_INFO);
    }
    CHECK_CLASS(MPI_Info_set(MPI_INFO_ENV, "a", "b"), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_free(&env), MPI_ERR_INFO);
    CHECK(env == MPI_INFO_ENV);
}

int main(int argc, char **argv)
{
    MPI_Info early = make(), late;

    start(&argc, &argv);
    use(early);
    use(make());
    limits();
    handles();
    late = make();
    MPI_Finalize();
    use(late);
    return 0;
}
