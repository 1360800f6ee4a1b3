# SPDX-License-Identifier: BSD-3-Clause
# every_call.sh – every function of include/mpi.h is logged, refused (rollback/refuse.def) or local, and none is forgotten:
# librollback defines what is not local.
#
#   S1-10: operations are recorded on every communicator: kind and arguments only
#
# RUN: ; expect "every function has its place"

library=$(find "$MEND_TEST_STAGE" -name librollback.so | head -1)

# Local functions, as extended expressions without MPI_.
cat >"$MEND_TEST_TMP/local" <<'END'
Type_\w+
(Group|Info|Op|Attr|Keyval|Errhandler|Error|T|Abi|Status)_\w+
(Add|Remove)_error_\w+
Comm_(call_errhandler|compare|get_\w+|group|rank|size|remote_group|remote_size|test_inter|set_(attr|errhandler|name))
(Comm|Win|Type)_(create_keyval|free_keyval|delete_attr)
(Comm|Win|File|Session)_(create_errhandler|call_errhandler|[gs]et_errhandler)
Win_(get_\w+|set_(attr|name)|shared_query(_c)?)
File_get_(amode|atomicity|byte_offset|group|info|position|size|type_extent(_c)?|view)
File_delete
Session_(init|finalize|get_\w+)
(Cart|Graph|Graphdims|Cartdim|Dist_graph)_(coords|get|rank|shift|neighbors|neighbors_count)
Topo_test|Dims_create
\w+_(f2c|c2f|fromint|toint)
Get_(address|count(_c)?|elements(_x|_c)?|hw_resource_info|library_version|processor_name|version)
(Pack|Unpack)(_\w+)?
Aint_(add|diff)|Wtime|Wtick|Alloc_mem|Free_mem|Pcontrol|Abort
Initialized|Finalized|Query_thread|Is_thread_main
Reduce_local(_c)?|Register_datarep(_c)?|Test_cancelled|Grequest_complete
(Buffer|Comm_buffer|Session_buffer)_attach(_c)?|(Comm|Session)_attach_buffer(_c)?
Lookup_name|Close_port|Open_port
END

sed -n 's/^extern .*\(MPIX\{0,1\}_[A-Za-z0-9_]*\)(.*/\1/p' "$MEND_TEST_ROOT/include/mpi.h" | sort -u >"$MEND_TEST_TMP/all"
sed 's/^/MPIX?_(/; s/$/)/' "$MEND_TEST_TMP/local" | grep -Exf - "$MEND_TEST_TMP/all" >"$MEND_TEST_TMP/is_local"
nm -D --defined-only "$library" | sed -n 's/.* T \(MPI_.*\)/\1/p' | sort -u >"$MEND_TEST_TMP/wrapped"

[ "$(wc -l <"$MEND_TEST_TMP/all")" -gt 600 ] || { echo "the header has not been understood"; exit 1; }
sort "$MEND_TEST_TMP/is_local" "$MEND_TEST_TMP/wrapped" >"$MEND_TEST_TMP/placed"
bad=0
for name in $(comm -23 "$MEND_TEST_TMP/all" "$MEND_TEST_TMP/placed"); do
    echo "neither logged, refused nor local: $name"
    bad=1
done
for name in $(uniq -d "$MEND_TEST_TMP/placed"); do
    echo "wrapped, and local as well: $name"
    bad=1
done
[ $bad = 0 ] && echo "every function has its place"
