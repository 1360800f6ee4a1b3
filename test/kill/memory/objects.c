/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls that make or change objects of one process: groups, types,
 * operators, info, attributes, error handlers, names, lists of failures, sessions, partitioned messages.  MPI_ERR_NO_MEM, the object as
 * it was, and nothing lost.
 *
 * RUN: -n 2 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 1 ok" ; time 60 */
#include "scarce.h"

static MPI_Group world, second, group;
static MPI_Datatype type, nested;
static MPI_Info info, other_info;
static MPI_Op op;
static MPI_Errhandler handler;
static int keyval, type_keyval;

/* ---- groups ---- */

static void drop_group(void)
{
    if (group != MPI_GROUP_EMPTY)
        CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
}

static int group_incl(void)
{
    return MPI_Group_incl(world, 2, (int[]){1, 0}, &group);
}

static int group_excl(void)
{
    return MPI_Group_excl(world, 1, (int[]){0}, &group);
}

static int group_range(void)
{
    return MPI_Group_range_incl(world, 1, (int[][3]){{1, 0, -1}}, &group);
}

static int group_union(void)
{
    return MPI_Group_union(second, world, &group);
}

static int group_intersection(void)
{
    return MPI_Group_intersection(world, world, &group);
}

static int group_difference(void)
{
    return MPI_Group_difference(world, MPI_GROUP_EMPTY, &group);
}

static int failed(void)
{
    return MPIX_Comm_get_failed(MPI_COMM_WORLD, &group);
}

/* ---- types and operators ---- */

static void drop_type(void)
{
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

static int contiguous(void)
{
    return MPI_Type_contiguous(3, MPI_INT, &type);
}

static int vector(void)
{
    return MPI_Type_vector(3, 1, 2, nested, &type);
}

static int indexed(void)
{
    return MPI_Type_indexed(2, (int[]){1, 2}, (int[]){4, 0}, nested, &type);
}

static int of_struct(void)
{
    return MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 64},
                                  (MPI_Datatype[]){MPI_INT, nested}, &type);
}

static int subarray(void)
{
    return MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C,
                                    MPI_INT, &type);
}

static int darray(void)
{
    return MPI_Type_create_darray(
        2, 0, 2, (int[]){8, 8}, (int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
        (int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &type);
}

static int resized(void)
{
    return MPI_Type_create_resized(nested, 0, 256, &type);
}

static int type_dup(void)
{
    return MPI_Type_dup(nested, &type);
}

/* What could not be committed is still a type, and can be freed or committed later. */
static int commit(void)
{
    int err = MPI_Type_vector(3, 1, 2, nested, &type);

    if (err)
        return err;
    err = MPI_Type_commit(&type);
    if (err)
        drop_type();
    return err;
}

static int type_name(void)
{
    return MPI_Type_set_name(nested, "a name");
}

static int type_attr(void)
{
    return MPI_Type_set_attr(nested, type_keyval, &type_keyval);
}

static void drop_type_attr(void)
{
    CHECK_EQ(MPI_Type_delete_attr(nested, type_keyval), MPI_SUCCESS);
}

static void no_function(void *in, void *inout, int *n, MPI_Datatype *t)
{
    (void)in;
    (void)inout;
    (void)n;
    (void)t;
}

static int make_op(void)
{
    return MPI_Op_create(no_function, 1, &op);
}

static void drop_op(void)
{
    CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
}

/* ---- info ---- */

static int info_create(void)
{
    return MPI_Info_create(&other_info);
}

static int info_dup(void)
{
    return MPI_Info_dup(info, &other_info);
}

static void drop_info(void)
{
    CHECK_EQ(MPI_Info_free(&other_info), MPI_SUCCESS);
}

static int keys_n(void)
{
    int n;

    CHECK_EQ(MPI_Info_get_nkeys(info, &n), MPI_SUCCESS);
    return n;
}

/* The key has its old value, or the new one. */
static int info_replace(void)
{
    char value[64];
    int err = MPI_Info_set(info, "key", "a new value, which is longer"), flag, before = keys_n();

    CHECK_EQ(MPI_Info_get(info, "key", sizeof(value) - 1, value, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_STR(value, err ? "value" : "a new value, which is longer");
    CHECK_EQ(keys_n(), before);
    return err;
}

static void put_back(void)
{
    CHECK_EQ(MPI_Info_set(info, "key", "value"), MPI_SUCCESS);
}

static int info_add(void)
{
    return MPI_Info_set(info, "another key", "value");
}

static void drop_key(void)
{
    CHECK_EQ(MPI_Info_delete(info, "another key"), MPI_SUCCESS);
    CHECK_EQ(keys_n(), 1);
}

static int comm_get_info(void)
{
    return MPI_Comm_get_info(MPI_COMM_SELF, &other_info);
}

static int comm_set_info(void)
{
    return MPI_Comm_set_info(MPI_COMM_SELF, info);
}

/* ---- attributes, error handlers, names ---- */

static int keyval_create(void)
{
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
}

static void drop_keyval(void)
{
    CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
}

static int comm_attr(void)
{
    int own, err = MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &own, NULL);

    if (err)
        return err;
    err = MPI_Comm_set_attr(MPI_COMM_SELF, own, &keyval);
    if (!err)
        CHECK_EQ(MPI_Comm_delete_attr(MPI_COMM_SELF, own), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&own), MPI_SUCCESS);
    return err;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static int handler_create(void)
{
    return MPI_Comm_create_errhandler(on_error, &handler);
}

static void drop_handler(void)
{
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
}

static int comm_name(void)
{
    return MPI_Comm_set_name(MPI_COMM_SELF, "a name");
}

static int error_class;

static int add_class(void)
{
    return MPI_Add_error_class(&error_class);
}

static void drop_class(void)
{
    CHECK_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
}

static int error_code;

static int add_code(void)
{
    return MPI_Add_error_code(MPI_ERR_OTHER, &error_code);
}

static void drop_code(void)
{
    CHECK_EQ(MPI_Remove_error_code(error_code), MPI_SUCCESS);
}

static int add_string(void)
{
    int err = MPI_Add_error_code(MPI_ERR_OTHER, &error_code);

    if (err)
        return err;
    err = MPI_Add_error_string(error_code, "a text of our own");
    if (!err)
        CHECK_EQ(MPI_Remove_error_string(error_code), MPI_SUCCESS);
    drop_code();
    return err;
}

/* ---- both ends of a partitioned message, sessions ---- */

static MPI_Request ends[2];
static MPI_Session session, opened;
static int words[8];

static void drop_ends(void)
{
    CHECK_EQ(MPI_Request_free(&ends[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&ends[1]), MPI_SUCCESS);
}

/* The send comes first, so its offer is kept. */
static int part_init(void)
{
    int err = MPI_Psend_init(words, 4, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &ends[0]);

    if (err)
        return err;
    err = MPI_Precv_init(words, 2, 4, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &ends[1]);
    if (!err)
        return err;
    enough();
    CHECK_EQ(MPI_Precv_init(words, 2, 4, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &ends[1]),
             MPI_SUCCESS); /* the offer is still there */
    drop_ends();
    return err;
}

static int session_init(void)
{
    return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &opened);
}

static void drop_session(void)
{
    CHECK_EQ(MPI_Session_finalize(&opened), MPI_SUCCESS);
}

static int session_info(void)
{
    return MPI_Session_get_info(session, &other_info);
}

static int pset_alive(void)
{
    return MPI_Group_from_session_pset(session, "mend://alive", &group);
}

static const struct scarce calls[] = {
    {"MPI_Precv_init", part_init, drop_ends, LOCAL},
    {"MPI_Session_init", session_init, drop_session, LOCAL},
    {"MPI_Session_get_info", session_info, drop_info, LOCAL},
    {"MPI_Group_from_session_pset", pset_alive, drop_group, LOCAL},
    {"MPI_Group_incl", group_incl, drop_group, LOCAL},
    {"MPI_Group_excl", group_excl, drop_group, LOCAL},
    {"MPI_Group_range_incl", group_range, drop_group, LOCAL},
    {"MPI_Group_union", group_union, drop_group, LOCAL},
    {"MPI_Group_intersection", group_intersection, drop_group, LOCAL},
    {"MPI_Group_difference", group_difference, drop_group, LOCAL},
    {"MPIX_Comm_get_failed", failed, drop_group, LOCAL},
    {"MPI_Type_contiguous", contiguous, drop_type, LOCAL},
    {"MPI_Type_vector", vector, drop_type, LOCAL},
    {"MPI_Type_indexed", indexed, drop_type, LOCAL},
    {"MPI_Type_create_struct", of_struct, drop_type, LOCAL},
    {"MPI_Type_create_subarray", subarray, drop_type, LOCAL},
    {"MPI_Type_create_darray", darray, drop_type, LOCAL},
    {"MPI_Type_create_resized", resized, drop_type, LOCAL},
    {"MPI_Type_dup", type_dup, drop_type, LOCAL},
    {"MPI_Type_commit", commit, drop_type, LOCAL},
    {"MPI_Type_set_name", type_name, NULL, LOCAL},
    {"MPI_Type_set_attr", type_attr, drop_type_attr, LOCAL},
    {"MPI_Op_create", make_op, drop_op, LOCAL},
    {"MPI_Info_create", info_create, drop_info, LOCAL},
    {"MPI_Info_dup", info_dup, drop_info, LOCAL},
    {"MPI_Info_set", info_add, drop_key, LOCAL},
    {"MPI_Info_set again", info_replace, put_back, LOCAL},
    {"MPI_Comm_get_info", comm_get_info, drop_info, LOCAL},
    {"MPI_Comm_set_info", comm_set_info, NULL, LOCAL},
    {"MPI_Comm_create_keyval", keyval_create, drop_keyval, LOCAL},
    {"MPI_Comm_set_attr", comm_attr, NULL, LOCAL},
    {"MPI_Comm_create_errhandler", handler_create, drop_handler, LOCAL},
    {"MPI_Comm_set_name", comm_name, NULL, LOCAL},
    {"MPI_Add_error_class", add_class, drop_class, LOCAL},
    {"MPI_Add_error_code", add_code, drop_code, LOCAL},
    {"MPI_Add_error_string", add_string, NULL, LOCAL},
};

static void make_objects(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(part_init(), MPI_SUCCESS);
    drop_ends();
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_incl(world, 1, (int[]){1}, &second), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(2, 1, 3, MPI_INT, &nested), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&nested), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "key", "value"), MPI_SUCCESS);
    CHECK_EQ(
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL),
        MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    make_objects();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (argc < 2 || !strcmp(argv[1], calls[i].name))
            sweep(&calls[i]);
    CHECK_EQ(MPI_Type_free_keyval(&type_keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&nested), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&second), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
    return finish();
}
