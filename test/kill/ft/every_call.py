#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
#   R1: a nonblocking call on a revoked communicator starts; its completion reports the error
#   R2: revoking a revoked object succeeds
#   S0-61: a revocation ends neither shrink nor agreement
#   S0-65: on a revoked communicator every non-local call fails
#   S0-66: calls on a revoked communicator return without any other process
#   S0-67: local calls still work on a revoked communicator
#   S0-69: a revoked communicator can be freed
"""every_call.py – makes one call of every function of the public headers that takes a communicator.

    usage: every_call.py HEADER... < names of functions that are not built    > calls.h

A function with a communicator or a request among its parameters must be in one of the classes below,
and each of its parameters must have a value: a new one that is in none of them is an error, not a gap.
every_call.c makes the calls, and knows what each class has to do on an invalid communicator.
"""

import re
import sys

# What a call on an invalid communicator does.
COLLECTIVES = """Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather
    Gatherv Reduce Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv"""
NEIGHBORS = """Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv
    Neighbor_alltoallw"""
SENDS = "Send Bsend Rsend Ssend"
CLASSES = {
    # returns MPI_ERR_INVALIDATED, at once (S0-65, S0-66)
    "INVALID": f"""{COLLECTIVES} {NEIGHBORS} {SENDS} Recv Sendrecv Sendrecv_replace
        Probe Iprobe Mprobe Improbe
        Comm_dup Comm_dup_with_info Comm_create Comm_create_group Comm_split Comm_split_type
        Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent
        Intercomm_create Intercomm_merge Comm_validate
        Comm_accept Comm_connect Comm_spawn Comm_spawn_multiple File_open
        Win_allocate Win_allocate_shared Win_create Win_create_dynamic Module_create""",
    # begins; the call that completes it returns MPI_ERR_INVALIDATED (R1)
    "LATER": " ".join("I" + f[0].lower() + f[1:] for f in
                      f"{COLLECTIVES} {NEIGHBORS} {SENDS} Recv Sendrecv Sendrecv_replace".split()) +
             " Comm_idup Comm_idup_with_info",
    # can be made and started again and again; each completion returns MPI_ERR_INVALIDATED
    "AGAIN": " ".join(f + "_init" for f in f"{COLLECTIVES} {NEIGHBORS} {SENDS} Recv".split()) +
             " Psend_init Precv_init",
    # local, and works (S0-67, R2)
    "LOCAL": """Comm_rank Comm_size Comm_group Comm_remote_group Comm_remote_size Comm_test_inter
        Comm_compare Comm_get_name Comm_set_name Comm_get_info Comm_set_info
        Comm_set_attr Comm_get_attr Comm_delete_attr Attr_put Attr_get Attr_delete
        Comm_get_errhandler Comm_set_errhandler Comm_call_errhandler
        Comm_flush_buffer
        Comm_invalidate Comm_revoke Comm_is_revoked
        Comm_failure_ack Comm_failure_get_acked Comm_ack_failed Comm_get_failed
        Pack Unpack Pack_size Topo_test Cart_coords Cart_get Cart_map Cart_rank Cart_shift Cartdim_get
        Graph_get Graph_map Graph_neighbors Graph_neighbors_count Graphdims_get
        Dist_graph_neighbors Dist_graph_neighbors_count""",
    # local, and its request completes well
    "LOCAL_LATER": "Comm_iflush_buffer",
    # goes on as before (S0-61); only where the caller is the last living member
    "EXEMPT": "Comm_shrink Comm_agreement Comm_agree Comm_agree_failed",
    "EXEMPT_LATER": "Comm_ishrink Comm_iagree Icomm_agreement Comm_iagree_failed",
    # ends the communicator (S0-69); with a copy
    "END": "Comm_free Comm_disconnect",
    # every_call.c has them by hand: completes requests on the communicator; belongs together
    "BY_HAND": """Comm_attach_buffer Comm_detach_buffer Wait Waitany Waitall Waitsome Test Testany Testall Testsome
        Request_get_status Request_get_status_any Request_get_status_all Request_get_status_some
        Start Startall Cancel Request_free Imrecv""",
    # nothing to do with an invalid communicator: ends the job; starts processes (test/kill/spawn); names a
    # handle; requests of other objects; modules that have one of their own, and the type of their function
    "OTHER": """Abort Comm_refill Comm_refilled Comm_get_parent Comm_join Comm_create_from_group
        Intercomm_create_from_groups Comm_toint Request_toint Grequest_start Grequest_complete
        Session_iflush_buffer Buffer_iflush Pready Pready_range Pready_list Parrived
        Rput Rget Raccumulate Rget_accumulate Module_enter Module_recover Module_recover_function
        File_iread File_iread_all File_iread_at File_iread_at_all File_iread_shared
        File_iwrite File_iwrite_all File_iwrite_at File_iwrite_at_all File_iwrite_shared""",
}
INTER_ONLY = "Comm_remote_group Comm_remote_size Intercomm_merge"
INTRA_ONLY = """Win_allocate Win_allocate_shared Win_create Win_create_dynamic
    Scan Exscan Iscan Iexscan Scan_init Exscan_init Cart_create Cart_map Graph_create Graph_map
    Dist_graph_create Dist_graph_create_adjacent Intercomm_create Comm_create_group
    Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect File_open Module_create"""

VALUES = {
    "sendbuf": "v", "recvbuf": "w", "buf": "v", "inbuf": "v", "outbuf": "w", "base": "v",
    "buffer": "v", "baseptr": "&place",
    "datatype": "MPI_INT", "sendtype": "MPI_INT", "recvtype": "MPI_INT", "op": "MPI_SUM",
    "sendtypes": "types", "recvtypes": "types", "count": "1", "sendcount": "1", "recvcount": "1",
    "incount": "1", "outcount": "1", "insize": "sizeof v", "outsize": "sizeof w",
    "tag": "0", "sendtag": "0", "recvtag": "0", "dest": "peer", "source": "peer", "root": "root",
    "info": "MPI_INFO_NULL", "request": "&request", "req": "&request", "status": "&status",
    "flag": "&flag", "partitions": "1", "message": "&message",
    "comm": "c", "comm_old": "c", "comm1": "c", "comm2": "MPI_COMM_WORLD", "local_comm": "c",
    "peer_comm": "MPI_COMM_WORLD", "intercomm": "c", "result": "&n", "local_leader": "0",
    "remote_leader": "size - 1", "high": "0", "color": "0", "key": "0",
    "split_type": "MPI_COMM_TYPE_SHARED", "group": "everybody", "rank": "0",
    "newcomm": "&made", "newintercomm": "&made", "newintracomm": "&made", "comm_cart": "&made",
    "comm_graph": "&made", "comm_dist_graph": "&made", "failedgroup": "&group", "failed_grp": "&group",
    "errhandler": "MPI_ERRORS_RETURN", "errorcode": "MPI_ERR_OTHER", "info_used": "&info",
    "comm_keyval": "keyval", "keyval": "keyval", "attribute_val": "&attribute",
    "comm_name": "name", "resultlen": "&n", "num_to_ack": "1", "num_acked": "&n",
    "ndims": "1", "dims": "dims", "periods": "ones", "reorder": "0", "maxdims": "1", "coords": "places",
    "newrank": "&n", "direction": "0", "disp": "1", "rank_source": "&n", "rank_dest": "&n",
    "remain_dims": "ones", "nnodes": "1", "nedges": "&n", "indx": "index1", "edges": "places",
    "maxindex": "8", "maxedges": "8", "nneighbors": "&n", "maxneighbors": "8", "neighbors": "out8",
    "indegree": "1", "outdegree": "1", "sources": "self1", "destinations": "places",
    "sourceweights": "MPI_UNWEIGHTED", "destweights": "MPI_UNWEIGHTED", "weights": "MPI_UNWEIGHTED",
    "n": "1", "degrees": "ones", "weighted": "&n", "maxindegree": "8", "maxoutdegree": "8",
    "disp_unit": "1", "win": "&win", "amode": "0", "fh": "&file", "filename": '"none"',
    "port_name": '"none"', "command": '"none"', "maxprocs": "1", "argv": "MPI_ARGV_NULL",
    "array_of_commands": "NULL", "array_of_argv": "MPI_ARGVS_NULL", "array_of_maxprocs": "ones",
    "recover": "no_recovery", "state": "NULL", "how": "MPIX_MODULE_IN_CALLS", "module": "&module",
    "array_of_info": "NULL", "array_of_errcodes": "MPI_ERRCODES_IGNORE",
}
# Where the type says more than the name.
TYPED = {
    "int *rank": "&n", "MPI_Group *group": "&group",
    "MPI_Errhandler *errhandler": "&errhandler", "int *ndims": "&n", "int *nnodes": "&n",
    "int *indegree": "&n", "int *outdegree": "&n", "int *status": "&n", "int *position": "zero(&n)",
    "MPI_Count *position": "zero_c(&many)", "MPI_Comm *comm": "&ended", "MPI_Comm *intercomm": "&made",
    "int *size": "&n", "MPI_Count *size": "&many", "MPI_Aint size": "8",
    "int coords[]": "out8", "int dims[]": "out8", "int periods[]": "out8", "int indx[]": "out8",
    "int edges[]": "out8", "int sources[]": "out8", "int destinations[]": "out8",
    "int *sourceweights": "out8", "int *destweights": "out8", "char *comm_name": "name",
}
# Where the function does.
OF_FUNCTION = {("MPI_Comm_set_info", "info"): "MPI_INFO_ENV"}
COUNTS = {"sendcounts": "ones", "recvcounts": "ones", "displs": "places", "sdispls": "places",
          "rdispls": "places"}


def fail(text):
    sys.exit(f"every_call.py: {text}")


def declarations(paths):
    text = "".join(open(p, encoding="utf-8").read() for p in paths)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for name, params in re.findall(r"\bint\s+(MPIX?_\w+)\s*\(([^;]*?)\)\s*;", text, flags=re.S):
        params = [re.sub(r"\s+", " ", p.strip()) for p in params.split(",")]
        if any(re.match(r"(const )?MPI_(Comm|Request)\b", p) for p in params):
            yield name, params


def value(function, param):
    name = re.search(r"(\w+)(\[\])?$", param).group(1)
    if (function, name) in OF_FUNCTION:
        return OF_FUNCTION[function, name]
    if param in TYPED:
        return TYPED[param]
    if name in COUNTS:
        kind = re.search(r"(int|MPI_Count|MPI_Aint) ", param).group(1)
        return COUNTS[name] + {"int": "", "MPI_Count": "_c", "MPI_Aint": "_a"}[kind]
    if "neighbor_alltoallw" in function.lower() and name in ("sdispls", "rdispls"):
        return "places_a"
    return VALUES.get(name) or fail(f"{function}: no value for '{param}'")


def kind_of(short):
    """The communicator that it is called on."""
    if re.match(r"(Cart_(?!create|map)|Cartdim)", short):
        return "ON_CART"
    if re.match(r"(Graph_(?!create|map)|Graphdims)", short):
        return "ON_GRAPH"
    if short.startswith("Dist_graph_neighbors"):
        return "ON_DIST_GRAPH"
    if "eighbor_" in short:
        return "ON_TOPOLOGY"
    if short in INTER_ONLY.split():
        return "ON_INTER"
    return "ON_INTRA" if short in INTRA_ONLY.split() else "ON_ANY"


def main():
    classes = {}
    for name, members in CLASSES.items():
        for f in members.split():
            if f in classes:
                fail(f"{f} is in two classes")
            classes[f] = name
    seen, table = set(), []
    for name, params in declarations(sys.argv[1:]):
        short = re.sub(r"^MPIX?_|_c$", "", name)
        seen.add(short)
        what = classes.get(short) or fail(f"{name} is in no class: what does it do on an invalid communicator?")
        if what in ("OTHER", "BY_HAND"):
            continue
        values = ", ".join(value(name, p) for p in params)
        print(f"static int call_{name}(void)\n{{\n    return {name}({values});\n}}")
        table.append(f'    {{"{name}", {what}, {kind_of(short)}, call_{name}}},')
    gone = set(classes) - seen
    if gone:
        fail(f"no such function any more: {' '.join(sorted(gone))}")
    print("static const struct call calls[] = {", *table, "};", sep="\n")


main()
